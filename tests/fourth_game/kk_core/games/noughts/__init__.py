"""Noughts and bids: the rules."""
