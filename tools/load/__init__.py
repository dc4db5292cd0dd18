"""Drivers that put load on a real server on loopback: many people, and attackers."""
