"""The board game on the screen: a map that draws itself, cards beside it."""
