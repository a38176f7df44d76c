"""The status of a run in words, apart because the list of runs needs nothing else of reports."""

_STATUS = {
    "new": "not started",
    "running": "still running",
    "paused": "paused",
    "finished": "finished",
    "limit": "finished",
    "stopped": "stopped, can be resumed",
}
_OTHER_ENDS = {
    "time_limit": "time limit",
    "work_limit": "work limit",
    "termination": "fitness reached",
}


def status_in_words(status: str, ended_by: str = "") -> str:
    """Return what `Run.status` and `Run.ended_by` say in words.

    >>> status_in_words("limit", "work_limit"), status_in_words("limit", "budget.games")
    ('finished (work limit)', 'finished (budget of games)')
    """
    words = _STATUS.get(status, status)
    if not ended_by or words != "finished":
        return words
    end = _OTHER_ENDS.get(ended_by, ended_by.replace("budget.", "budget of "))
    return f"{words} ({end})"
