"""Tables, their log, and records in files."""
