"""Ku-Ka-King on the screen."""
