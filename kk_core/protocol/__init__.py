"""What travels between a table and those who look at it."""
