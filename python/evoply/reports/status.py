"""The status of a run in words, apart because the list of runs needs nothing else of reports."""

_STATUS = {
    "new": "not started",
    "running": "still running",
    "paused": "paused",
    "finished": "finished",
    "limit": "finished (time limit)",
    "stopped": "stopped, can be resumed",
}


def status_in_words(status: str) -> str:
    """Return what `Run.status` says in words.

    >>> status_in_words("limit")
    'finished (time limit)'
    """
    return _STATUS.get(status, status)
