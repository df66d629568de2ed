"""Mutated requests over every call: none may be a 5xx, and the worker's memory stays level.

``make fuzz`` sends 100,000 of them, the tests some thousands.
"""
