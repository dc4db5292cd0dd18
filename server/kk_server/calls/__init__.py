"""Calls: people who are away are told by mail or through a webhook that it is their turn."""
