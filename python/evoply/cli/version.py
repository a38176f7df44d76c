"""What `evoply --version` says."""

from evoply._native import __version__, cpu, paths


def version_text() -> str:
    """Return the program, its version and its CPU paths."""
    several = f"CPU paths {', '.join(paths)}; {cpu} in use"
    return f"evoply {__version__} ({several if paths[1:] else f'CPU path {cpu}'})"
