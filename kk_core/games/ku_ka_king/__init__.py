"""Ku-Ka-King: all call a row at the same moment, and only a seat that called it alone gets its cards."""
