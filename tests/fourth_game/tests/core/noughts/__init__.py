"""Noughts and bids."""
