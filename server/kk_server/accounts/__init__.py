"""How well people play: a rating for each game, from matches between accounts that were to be rated."""
