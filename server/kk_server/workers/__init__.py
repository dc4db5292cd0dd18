"""Worker processes, which speak SSH and HTTP, and draw, and their channel to the hub."""
