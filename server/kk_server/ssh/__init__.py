"""How people reach the hub over SSH."""
