"""The door for browsers: a page with a terminal, its socket, and the connections that carry both."""
