"""Alembic migrations: the one way in which the database comes to be and changes."""
