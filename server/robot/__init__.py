"""A program of one's own, in any language, at a table of a server."""
