import os

# `make` and what it calls are for systems like Unix.
collect_ignore_glob = ["*.py"] if os.name == "nt" else []
