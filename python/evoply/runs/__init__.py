"""Runs on disk: a folder with `config.toml` and `run.db`, its lock, resume, replay and export."""

from evoply.protocols import RunError, RunNameError
from evoply.runs.advance import advance, resolve_champion
from evoply.runs.by_name import RunSummary, find_run, list_runs, new_run_path, runs_directory
from evoply.runs.folder import leave_request, read_request
from evoply.runs.kind import ChampionFacts, Ending, Kind, Listing, LiveFacts
from evoply.runs.kinds import KINDS
from evoply.runs.replay import Replay, replay
from evoply.runs.results import (
    PlayedMatches,
    censuses,
    check_evolved,
    export_csv,
    export_parquet,
    match_of,
    played_matches,
    stored_final_test,
)
from evoply.runs.run import Run

__all__ = [
    "KINDS",
    "ChampionFacts",
    "Ending",
    "Kind",
    "Listing",
    "LiveFacts",
    "PlayedMatches",
    "Replay",
    "Run",
    "RunError",
    "RunNameError",
    "RunSummary",
    "advance",
    "censuses",
    "check_evolved",
    "export_csv",
    "export_parquet",
    "find_run",
    "leave_request",
    "list_runs",
    "match_of",
    "new_run_path",
    "played_matches",
    "read_request",
    "replay",
    "resolve_champion",
    "runs_directory",
    "stored_final_test",
]
