"""Who somebody is: accounts by SSH key, guests, and the names that each of them may wear."""
