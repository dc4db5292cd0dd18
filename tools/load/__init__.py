"""Drivers that load a real server on loopback: many people, and attackers."""
