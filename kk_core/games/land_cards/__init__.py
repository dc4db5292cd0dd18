"""Kardinal & König - Das Kartenspiel: take land cards, guard them with stones, bend the rules with laws."""
