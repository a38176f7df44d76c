"""Runs on disk: a folder with `config.toml` and `run.db`, its lock, resume, replay and export."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.files import runs_directory
    from evoply.protocols import RunError, RunNameError
    from evoply.runs.advance import advance
    from evoply.runs.background import go_on_in_process
    from evoply.runs.columns import ChampionFacts, LiveFacts
    from evoply.runs.folder import is_locked, leave_request, read_request
    from evoply.runs.kept_learners import RunEnding
    from evoply.runs.kind import Kind
    from evoply.runs.results import (
        PlayedMatches,
        champion_changes,
        champion_of,
        export_csv,
        export_parquet,
        match_of,
        named_champion,
        played_matches,
        resolve_champion,
    )
    from evoply.runs.run import Run
    from evoply.runs.run_names import checked_name, named_run, new_run_path, run_path
    from evoply.runs.summaries import RunSummary, list_runs

__all__ = [
    "ChampionFacts",
    "Kind",
    "LiveFacts",
    "PlayedMatches",
    "Run",
    "RunEnding",
    "RunError",
    "RunNameError",
    "RunSummary",
    "advance",
    "champion_changes",
    "champion_of",
    "checked_name",
    "export_csv",
    "export_parquet",
    "go_on_in_process",
    "is_locked",
    "leave_request",
    "list_runs",
    "match_of",
    "named_champion",
    "named_run",
    "new_run_path",
    "played_matches",
    "read_request",
    "resolve_champion",
    "run_path",
    "runs_directory",
]

give_when_used(
    __name__,
    {
        "evoply.files": "runs_directory",
        "evoply.protocols": "RunError RunNameError",
        "advance": "advance",
        "run_names": "checked_name named_run new_run_path run_path",
        "folder": "is_locked leave_request read_request",
        "background": "go_on_in_process",
        "columns": "ChampionFacts LiveFacts",
        "kind": "Kind",
        "kept_learners": "RunEnding",
        "results": (
            "PlayedMatches champion_changes champion_of export_csv export_parquet match_of "
            "named_champion played_matches resolve_champion"
        ),
        "run": "Run",
        "summaries": "RunSummary list_runs",
    },
)
