"""How everything looks that Textual lays out; what is drawn by hand has its colours from `theme`."""
