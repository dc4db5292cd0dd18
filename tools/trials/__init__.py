"""Trials: stories played with the programs that people use, on demand: they take long."""
