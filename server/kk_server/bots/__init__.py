"""Bots think in processes of their own, so that they never hold up tables and screens."""
