"""What goes to a terminal: the cells it shows, the codes it knows, and the text that changes its picture."""
