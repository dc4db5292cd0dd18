"""A match on a screen: its base, moves, explanations, and what plays by itself over the board."""
