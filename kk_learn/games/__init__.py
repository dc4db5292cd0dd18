"""Observations as numbers, game by game."""
