"""Drivers that load a real server on loopback: many people, and people who mean harm."""
