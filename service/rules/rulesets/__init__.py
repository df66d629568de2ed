"""The published rule sets, a TOML file each."""
