"""Ku-Ka-King: all call a row simultaneously, and only a seat that called it alone gets its cards."""
