"""Noughts and bids: the screen."""
