"""The answers to `ssh HOST COMMAND`: parser.py has the commands, the other modules carry them out."""
