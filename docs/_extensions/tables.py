"""Tables and texts that pages take from evoply: help, operations, players, sets, measurements."""

from __future__ import annotations

import io
import json
import math
import os
import re
import sqlite3
import tempfile
import tomllib
from contextlib import closing, redirect_stdout
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args, get_origin
from unittest.mock import patch

from markdown import code, fence, meanings, table

from evoply.cli.app import run as run_command
from evoply.configs.reference import ConfigKey, ConfigSection, config_sections, meaning
from evoply.expressions import PRIMITIVE_SETS, square_sets
from evoply.expressions.operations import OPERATIONS
from evoply.games import SHAPES, game_rules
from evoply.games.rules import written_rules
from evoply.kinds import KINDS as LEARNERS
from evoply.players import NAMED_PLAYERS, Mcts, Online
from evoply.players.player import KINDS
from evoply.players.strong import LEVEL_NAMES, Strong, levels_of
from evoply.reports.part_words import joined
from evoply.reports.puzzle_book import puzzle_file, puzzle_games
from evoply.runs.presets import PRESETS, preset_text
from evoply.runs.schema import create_tables

_RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"
_STUDIES = Path(__file__).parents[1] / "results"
_HELP_WIDTH = "84"


def command_help(command: str, _: list[str]) -> str:
    """Return what `evoply COMMAND --help` prints."""
    text = io.StringIO()
    environment = {"COLUMNS": _HELP_WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    with patch.dict(os.environ, environment), redirect_stdout(text):
        failed = run_command([*command.split(), "--help"])
    if failed:
        raise ValueError(f"evoply {command} --help failed")
    return fence("text", "\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def operations(kind: str, content: list[str]) -> str:
    """Return the operations that give *kind*, their arguments, and the meanings on the page."""
    chosen = {name: one for name, one in OPERATIONS.items() if one.result == kind}
    texts = meanings(content, chosen)
    rows = [
        [code(name), ", ".join(_argument(argument) for argument in one.arguments), texts[name]]
        for name, one in chosen.items()
    ]
    return table(["operation", "arguments", "meaning"], rows)


def _argument(kind: str) -> str:
    words = {"any": "*any type*", "selector": "*number* or `null`"}
    return words.get(kind, f"*{kind}*" if kind in ("squares", "number", "truth") else kind)


def how_to_play(_: str, __: list[str]) -> str:
    """Return the rules of every game in words, with three tips, under a heading for each text."""
    parts = []
    for text in dict.fromkeys(written_rules().values()):
        titles = [game_rules(game).title for game in text.games]
        parts += [f"## {joined(titles)}", f"**{text.aim}**", text.moves, text.end]
        tips = (tip.partition(". ") for tip in text.tips)
        parts += ["Three tips:", "\n".join(f"* **{short}.** {more}" for short, _, more in tips)]
    return "\n\n".join(parts)


def puzzle_counts(_: str, __: list[str]) -> str:
    """Return how many positions the search for puzzles had after each question, by game."""
    found = {game: puzzle_file(game) for game in puzzle_games()}
    names = list(dict.fromkeys(name for data in found.values() for name in data["positions"]))
    rows = [
        [name, *(str(data["positions"].get(name, "-")) for data in found.values())]
        for name in sorted(
            names,
            key=lambda one: (
                one == "missed by the level",  # the last question
                -max(data["positions"].get(one, 0) for data in found.values()),
            ),
        )
    ]
    rows.append(["kept", *(str(len(data["puzzles"])) for data in found.values())])
    return table(["positions", *found], rows)


def named_players(_: str, __: list[str]) -> str:
    """Return the players that have a name."""
    rows = [
        [
            code(name),
            player.title,
            "-" if player.expression is None else code(str(player.depth)),
            "-" if player.expression is None else code(player.view),
        ]
        for name, player in NAMED_PLAYERS.items()
    ]
    rows += [[code(name), how, "-", "-"] for kind in KINDS for name, how in kind.names.items()]
    return table(["name", "how it plays", "depth", "view"], rows)


def online_options(_: str, __: list[str]) -> str:
    """Return the options of the player `online`."""
    return _options(Online)


def mcts_options(_: str, __: list[str]) -> str:
    """Return the options of the player `mcts`."""
    return _options(Mcts)


def strong_options(_: str, __: list[str]) -> str:
    """Return the options of the player `strong`."""
    return _options(Strong)


def strong_levels(game: str, __: list[str]) -> str:
    """Return how each level of the player `strong` searches in a game."""
    rows = [
        [code(str(number)), name, *(f"{part:g}" if part else "-" for part in level)]
        for number, (name, level) in enumerate(
            zip(LEVEL_NAMES, levels_of(game or "othello"), strict=True), 1
        )
    ]
    heads = ["level", "name", "depth", "temperature", "overlooks", "sigmas", "endgame"]
    return table(heads, rows)


def _options(kind: type[Mcts | Online | Strong]) -> str:
    rows = [
        [
            code(key),
            code(f"{kind.model_fields[key].default}"),
            meaning(kind, key) + _choices(kind, key),
        ]
        for key in kind.text_options()
    ]
    return table(["option", "usual", "what it says"], rows)


def _choices(kind: type[Mcts | Online | Strong], key: str) -> str:
    """Return the words that an option takes, in the order of its meaning; "" for others."""
    annotation = kind.model_fields[key].annotation
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    return f" One of {', '.join(map(code, words))}." if words else ""


def primitive_sets(_: str, __: list[str]) -> str:
    """Return the sets of primitives and what is in them."""
    rows = [
        [code(name), " ".join(code(one.name) for one in chosen)]
        for name, chosen in PRIMITIVE_SETS.items()
    ]
    return table(["set", "primitives"], rows)


def named_square_sets(_: str, content: list[str]) -> str:
    """Return the named sets of the 8x8 board but the lettered classes, with their sizes."""
    chosen = {name: one for name, one in square_sets(SHAPES[8]).items() if "class_" not in name}
    texts = meanings(content, chosen)
    rows = [[code(name), str(one.bit_count()), texts[name]] for name, one in chosen.items()]
    return table(["name", "squares on 8x8", "which"], rows)


def presets(_: str, __: list[str]) -> str:
    """Return the list of presets."""
    rows = [[code(name), code(one.command), one.title] for name, one in PRESETS.items()]
    return table(["preset", "command", "what it is"], rows)


def preset(name: str, _: list[str]) -> str:
    """Return a preset as it is."""
    return fence("toml", preset_text(name))


def config_keys(learner: str, _: list[str]) -> str:
    """Return a table of keys for the top level and for each table and kind below it."""
    model = LEARNERS[learner or "evolution"].learners.given.config_type
    return "\n\n".join(_config_section(section) for section in config_sections(model))


def _config_section(section: ConfigSection) -> str:
    rows = [[code(key.name), _value(key), _usual(key), key.meaning] for key in section.keys]
    title = code(section.title) if section.path else "Top level"
    keys = table(["key", "value", "default", "meaning"], rows) if rows else ""
    return f"### {title}\n\n{section.meaning}\n\n{keys}"


def _value(key: ConfigKey) -> str:
    return re.sub(r'"[a-z_]+"', lambda choice: code(choice[0]), key.value)


def _usual(key: ConfigKey) -> str:
    is_written = not key.is_required and key.default is not None and key.default_text
    return code(key.default_text) if is_written else key.default_text


def run_tables(_: str, content: list[str]) -> str:
    """Return the tables of run.db with their columns and the meanings on the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        create_tables(path, {})
        with closing(sqlite3.connect(path)) as database:
            names = [
                row[0]
                for row in database.execute(
                    "SELECT name FROM sqlite_schema "
                    "WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
                )
            ]
            columns = {
                name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
                for name in names
            }
    texts = meanings(content, columns)
    rows = [
        [code(name), texts[name], " ".join(code(column) for column in columns[name])]
        for name in columns
    ]
    return table(["table", "one row is", "columns"], rows)


def benchmarks() -> str:
    """Return the measured table if there is one."""
    if not _RESULTS.is_file():
        return "*No measurement is stored here: run `make bench`.*"
    measured = json.loads(_RESULTS.read_text(encoding="utf-8"))
    rows = [
        [
            code(row["name"]),
            row["unit"],
            _figure(row["ours"]),
            row["peer"] or "-",
            _figure(row["peer_value"]),
            "-" if row["ratio"] is None else f"{row['ratio']:.3g}",
            _before(row),
        ]
        for row in measured["rows"]
    ]
    machine = measured.get("machine")
    about = f"Machine: {machine}." if machine else ""
    head = ["row", "unit", "evoply", "peer", "peer's figure", "ratio", "as fast as before"]
    return f"{table(head, rows)}\n\n{about}"


def figures(page: str, __: list[str]) -> str:
    """Return the figures of a page's players as its TOML file has them, a column an opponent."""
    file = Path(__file__).parents[1] / f"{page}.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["players"]
    opponents = list(dict.fromkeys(name for row in rows for name in row["figures"]))
    cells = [
        [
            row["name"],
            *(
                "**{:.1f}** ({:.1f} to {:.1f})".format(*row["figures"][name])
                if name in row["figures"]
                else "-"
                for name in opponents
            ),
        ]
        for row in rows
    ]
    commands = [code(command) for row in rows for command in row.get("make", ())]
    made = f"\n\nThe commands: {', '.join(commands)}." if commands else ""
    return table(["player", *map(code, opponents)], cells) + made


def study(name: str, __: list[str]) -> str:
    """Return the rows of a study that have a printed figure, as its result in `results` has them.

    The file is what `evoply reproduce ... --json` printed. With "across" after the name, what
    stands after the colon of a row's name has a column of its own.
    """
    name, _, form = name.partition(" ")
    result = json.loads((_STUDIES / f"{name}.json").read_text(encoding="utf-8"))
    found = [row for row in result["rows"] if None not in (row["paper"], row["ours"])]
    made = _across(found) if form == "across" else _row_by_row(found)
    return f"{made}\n\nIn {result['unit']}, with 95 % intervals: {code(result['command'])}."


def _row_by_row(rows: list[dict[str, Any]]) -> str:
    cells = [
        [
            row["name"],
            _short(row["paper"]),
            _ours(row),
            f"{row['n']:,} {row['counted']}",
            row["verdict"],
            row["reason"],
        ]
        for row in rows
    ]
    return table(["row", "paper", "here", "n", "verdict", "reason"], cells)


def _across(rows: list[dict[str, Any]]) -> str:
    """Return a column for each pairing; bold is what matches, or is not told apart."""
    parts = [(*row["name"].rsplit(": ", 1), row) for row in rows]
    columns = list(dict.fromkeys(column for _, column, _ in parts))
    cells = {name: {c: row for n, c, row in parts if n == name} for name, _, _ in parts}
    printed = next(iter(cells.values()))
    head = ["", *(column.replace(" against ", " v ") for column in columns)]
    first = ["*the paper*", *(_short(printed[column]["paper"]) for column in columns)]
    body = [[name, *(_ours(of[column]) for column in columns)] for name, of in cells.items()]
    return table(head, [first, *body])


def league(name: str, __: list[str]) -> str:
    """Return standings, encounters or costs of a league, as its result in `results` has them.

    The file is what `evoply league NAME --json` printed; after its name stands a condition and
    perhaps "encounters", or "costs".
    """
    name, part, *form = name.split()
    result = json.loads((_STUDIES / f"{name}.json").read_text(encoding="utf-8"))
    if part == "costs":
        return _costs(result)
    found = result["standings"][part]
    if form:
        return _encounters(found)
    rows = [
        [
            str(row["rank"] or ""),
            code(row["entrant"]) if row["is_ranked"] else f"*{code(row['entrant'])}*",
            _bound(row["score"]) + f"{row['rating']:+.0f}",
            _ends(row["interval"]),
            f"{100 * row['score']:.1f} %",
            "" if row["nash_average"] is None else f"{row['nash_average']:.0f}",
            _ends(row["nash_interval"]),
            "" if row["terms"] is None else f"{row['terms']:g}",
        ]
        for row in found["standings"]
        if row["rating"] is not None
    ]
    interval = "95 % interval"
    head = ["rank", "method", "rating", interval, "score", "Nash average", interval, "terms"]
    return table(head, rows)


def _bound(score: float) -> str:
    return "at most " * (score == 0) + "at least " * (score == 1)


def _ends(interval: list[float | None] | None) -> str:
    """Return the ends of an interval; one without a low end says how high it can be."""
    if interval is None:
        return ""
    low, high = interval
    return (
        f"at most {high:+.0f}" if low is None or low == -math.inf else f"{low:+.0f} to {high:+.0f}"
    )


def _encounters(found: dict[str, Any]) -> str:
    """Return the points of a hundred that the method of a row got from that of a column."""
    ranked = [row["entrant"] for row in found["standings"] if row["rank"] is not None]
    points = {}
    for each in found["encounters"]:
        points[each["first"], each["second"]] = each["score"]
        points[each["second"], each["first"]] = 1 - each["score"]
    rows = [
        [f"{number} {code(one)}", *(_percent(points.get((one, other))) for other in ranked)]
        for number, one in enumerate(ranked, 1)
    ]
    return table(["", *(str(number + 1) for number in range(len(ranked)))], rows)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}"


def _costs(result: dict[str, Any]) -> str:
    """Return what was counted for each method, and the processor seconds of its players."""
    made = {one["name"]: [] for one in result["entrants"]}
    for player in result["players"]:
        made.setdefault(player["entrant"], []).append(player)
    rows = [
        [
            code(one["name"]),
            f"{one['budget']:,.0f} {one['counted']}",
            f"{fmean(each['games'] for each in players):,.0f}",
            *(f"{each['processor_seconds']:.0f}" for each in players),
        ]
        for one in result["entrants"]
        if one["counted"] and (players := made[one["name"]])
    ]
    seeds = [f"seed {seed}" for seed in result["seeds"]]
    return table(["method", "counted", "games of training, mean", *seeds], rows)


def _ours(row: dict[str, Any]) -> str:
    mark = "**" if row["verdict"] in ("matches", "not told apart") else ""
    return f"{mark}{_short(row['ours'])}{mark} ({_short(row['interval'])})"


def _short(value: float | str | list[float] | None) -> str:
    """Return a figure or an interval in four digits."""
    if isinstance(value, list):
        return " to ".join(map(_short, value))
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.4g}"


def _before(row: dict[str, Any]) -> str:
    if row.get("before") is None:
        return "-"
    return f"{row['before']:.3g} ({row['before_commit'][:7]})"


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
