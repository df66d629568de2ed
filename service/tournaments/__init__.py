"""Tournaments: seating, and what it takes to play one."""
