"""SSH: the port, connections, sessions, and the apps drawn for them."""
