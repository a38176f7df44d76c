"""The config of a run: its parts, checks of what fits together, reading and writing."""
