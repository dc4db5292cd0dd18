"""The observations of each game as numbers: a module with `parts` for every game that has a vector."""
