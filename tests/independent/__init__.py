"""A second scorer, written straight from the rules and sharing no code with the service."""
