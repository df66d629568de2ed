"""What is kept: API keys, matches, rounds and their history, in Postgres."""
