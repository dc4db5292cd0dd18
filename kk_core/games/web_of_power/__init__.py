"""Kardinal & König, the board game: spread cloisters along the roads, advisors at the courts."""
