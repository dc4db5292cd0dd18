"""Bots, hints, reviews and contests, all by one search for all games."""
