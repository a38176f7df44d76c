"""Runs on disk: a folder with `config.toml` and `run.db`, its lock, resume, replay and export."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.files import runs_directory
    from evoply.protocols import RunError, RunNameError
    from evoply.runs.advance import advance, resolve_champion
    from evoply.runs.by_name import checked_name, find_run, named_run, new_run_path
    from evoply.runs.folder import leave_request, read_request
    from evoply.runs.in_process import go_on_in_process
    from evoply.runs.kind import ChampionFacts, Ending, Kind, Listing, LiveFacts
    from evoply.runs.kinds import KINDS
    from evoply.runs.replay import Replay, replay
    from evoply.runs.results import (
        PlayedMatches,
        censuses,
        champion_changes,
        champion_of,
        check_evolved,
        export_csv,
        export_parquet,
        match_of,
        played_matches,
        stored_final_test,
    )
    from evoply.runs.run import Run
    from evoply.runs.summaries import RunSummary, list_runs

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
    "champion_changes",
    "champion_of",
    "check_evolved",
    "checked_name",
    "export_csv",
    "export_parquet",
    "find_run",
    "go_on_in_process",
    "leave_request",
    "list_runs",
    "match_of",
    "named_run",
    "new_run_path",
    "played_matches",
    "read_request",
    "replay",
    "resolve_champion",
    "runs_directory",
    "stored_final_test",
]

give_when_used(
    __name__,
    {
        "evoply.files": "runs_directory",
        "evoply.protocols": "RunError RunNameError",
        "advance": "advance resolve_champion",
        "by_name": "checked_name find_run named_run new_run_path",
        "folder": "leave_request read_request",
        "in_process": "go_on_in_process",
        "kind": "ChampionFacts Ending Kind Listing LiveFacts",
        "kinds": "KINDS",
        "replay": "Replay replay",
        "results": (
            "PlayedMatches censuses champion_changes champion_of check_evolved export_csv "
            "export_parquet match_of played_matches stored_final_test"
        ),
        "run": "Run",
        "summaries": "RunSummary list_runs",
    },
)
