"""What a run is asked to do: its parts, what fits together, and how it is read and written."""
