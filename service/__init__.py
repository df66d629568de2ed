"""Susun: scores Capsa Susun, keeps the record."""
