"""Ku-Ka-King: everybody calls a row at the same moment, and only who called it alone gets its cards."""
