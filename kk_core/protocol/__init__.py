"""Messages and frames between a hub and its clients."""
