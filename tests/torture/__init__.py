"""The torture test: clients play while what serves them is killed, again and again, at random.

``make torture`` runs it for three minutes, the tests for twenty seconds.
"""
