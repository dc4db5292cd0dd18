"""Messages and views between a table and the people at it."""
