"""What every registered game must keep, written once."""
