"""What is answered to `ssh HOST COMMAND`: parser.py has the commands, each group a module of its own."""
