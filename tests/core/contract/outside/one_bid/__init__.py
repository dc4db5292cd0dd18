"""One bid: a single secret choice that all seats make at the same moment."""
