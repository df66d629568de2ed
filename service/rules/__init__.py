"""The game: cards, hands, rule sets and scoring. Pure: standard library only."""
