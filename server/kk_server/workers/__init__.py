"""Worker processes, which speak SSH and draw: how they start, and what they and the hub tell each other."""
