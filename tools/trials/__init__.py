"""Trials: scenarios played with the programs that people use; they take long, and run on demand."""
