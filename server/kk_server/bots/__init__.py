"""Bots think in separate processes, so that they never hold up tables and screens."""
