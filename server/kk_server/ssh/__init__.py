"""SSH: connections and their channels, host keys and signatures."""
