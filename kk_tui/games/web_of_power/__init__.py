"""The board game on the screen: a map that lays itself out, cards beside it."""
