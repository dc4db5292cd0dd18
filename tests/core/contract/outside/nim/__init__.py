"""Nim: a game of perfect information, for two, of a few moves, with nothing to take back."""
