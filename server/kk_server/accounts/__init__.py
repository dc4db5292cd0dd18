"""Accounts and their keys, guests, names, bans, and ratings."""
