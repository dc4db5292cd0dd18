"""The look of the app: themes with all colours as variables, and the table of signs."""
