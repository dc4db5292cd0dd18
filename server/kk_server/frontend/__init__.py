"""Shared by all doors: ports, counted connections, sessions, and the apps drawn for them."""
