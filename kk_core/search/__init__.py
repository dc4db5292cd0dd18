"""Bots, hints, reviews and contests, for all games by the same search."""
