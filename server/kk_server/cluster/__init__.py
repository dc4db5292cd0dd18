"""Several nodes on one PostgreSQL database: who is home to which tables, and what they tell each other."""
