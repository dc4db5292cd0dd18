"""Worker processes, which speak SSH and draw, and their channel to the hub."""
