"""The rules of the games and the engine that plays them: pure values, no input or output."""

__version__ = "0.1.0"
