"""Benbassat & Sipper (GECCO 2011): guides, and players evolved for three games."""

from functools import partial

from evoply.studies.benbassat import evolved_players, guide_matches
from evoply.studies.study import study_of

BENBASSAT = study_of(
    "benbassat",
    {
        "3": guide_matches.calibration,
        "depths": guide_matches.even_depths,
        "readings": guide_matches.guide_readings,
        "hand": evolved_players.trees_by_hand,
        **{table: partial(evolved_players.players_table, table) for table in ("4", "5", "6")},
        "sensitivity": evolved_players.other_settings,
        "coevolution": guide_matches.coevolution,
    },
)
