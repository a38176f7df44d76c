"""Players as texts: `NAME[:key=value[,key=value...]]`, TOML and saved files.

NAME is a named player (`random`, `greedy`, `swh`, `material` and others), a tree that begins with a
bracket (or stages, or several trees in braces), `champion@RUN`, or `champion@RUN@GENERATION` for an
earlier one, `champion@RUN@3-5` for a cell of a map, `champion@RUN@pruned`, the path of a `.json`
(saved) or `.toml` file, `FILE.py` or `FILE.py:CLASS` for a bot, or `python:FILE.py:NAME` for a
player in Python in this process; these two have no options. Options:

* those of `AfterState` and `AlphaBeta` (`search_options`), as `depth=4` or `ties=random`, yes and
  no for true and false; in a text depth 0 is the player that does not look ahead
* `random_plies=N`: uniformly random moves for the player's own first N (0 to 1000)
* stages only: `overlap=PERCENT`, `slide=linear|logistic`, `clock=pieces|ply`
* `king=X`: how many men a king is worth to `material` and `greedy` (0 to 100)
* trees only: `primitives=SET`, `division=one|zero|numerator|ieee`, `lenient=drop|variadic`
* kinds with options of their own, such as `online`: the fields that the kind names; of `mcts` the
  option `evaluator` is the text of a player, whose own options follow it

A TOML file can describe all other players: it holds the fields of the models in `specs`.

Texts that are carried (`evoply.configs.own_code.carried`) are read by another grammar, which has no
files, bots, engines and Python: what they name is data.

Reasons: docs/design/players.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, NoReturn

from pydantic import BaseModel, ConfigDict, Field

from evoply.configs.config_errors import checked
from evoply.configs.own_code import is_carried, qualified_name
from evoply.environment.files import (
    read_limited,
    read_toml_file,
    with_checksum,
    without_checksum,
    write_atomically,
)
from evoply.expressions import (
    FACTS,
    PRIMITIVE_SETS,
    ExpressionError,
    Number,
    Primitive,
    PrimitiveSet,
    find_primitive_set,
)
from evoply.expressions.written_form import parse_json
from evoply.games import game_rules, game_spoken, spoken_name
from evoply.gp.tree import STAGED, Genotype, TreeError, branches
from evoply.gp.tree_text import parse_individual
from evoply.players.evaluators import ExpressionEvaluator, TreeEvaluator, problems
from evoply.players.named import KINGS, NAMED_PLAYERS
from evoply.players.player import (
    CARRIED_ADAPTER,
    DATA_KINDS,
    KINDS,
    PLAYER_ADAPTER,
    CarriedModel,
    PlayerModel,
    SavedModel,
    model_of,
    player_of,
)
from evoply.players.player_kind import (
    LONGEST_NAME,
    NOT_REPRODUCIBLE,
    ValuingPlayer,
    choice,
    field_reader,
    number,
    readers,
)
from evoply.players.search_options import OF_STAGES, SEARCH_LIMITS
from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer
from evoply.players.staged import STAGES_ONLY, RandomStart, Staged
from evoply.protocols import ConfigError, Player
from evoply.wording import did_you_mean, shorten

# Saved players: one JSON file with everything needed to play, on any machine.
#
# `{"format": 1, "kind": "evoply player", "game", "origin", "player", "checksum"}`. *player* is the
# model of `specs` with its primitives as expressions, so that it loads without the Python that
# defined them. *checksum* is the SHA-256 of the canonical JSON (sorted keys, no spaces) of the
# other fields: it finds damage, not forgery.

FORMAT = 1
MAX_BYTES = 80_000_000
_FIELDS = frozenset({"format", "kind", "game", "origin", "player", "checksum"})

Text = Annotated[str, Field(max_length=1000)]


class PlayerFileError(ValueError):
    """A saved player cannot be used; the message begins with the path."""


class Origin(BaseModel):
    """The origin of a saved player; all fields may be missing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: Text | None = None
    generation: int | None = Field(default=None, ge=0)
    seed: int | None = None
    note: Text | None = None


class SavedPlayer(BaseModel):
    """The checked content of a saved file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str
    origin: Origin
    player: SavedModel


def load_player(path: str | Path, *, game: str | None = None) -> SavedModel:
    """Return the player saved at *path*; `PlayerFileError` if it is not for *game*."""
    saved = load_saved_player(path)
    if game is not None and saved.game != game:
        raise PlayerFileError(f"{path}: this player plays {saved.game}, not {game}")
    return saved.player


def load_saved_player(path: str | Path) -> SavedPlayer:
    """Return the content of *path*, with game and origin; `PlayerFileError` if it is wrong."""
    try:
        if Path(path).is_fifo():
            # Reading would wait for a writer, and a saved player is read more than once.
            raise ValueError("this is a pipe, which cannot be read twice: name a file")
        data = parse_json(read_limited(path, MAX_BYTES))
        return _check_file(data)
    except OSError as error:
        raise PlayerFileError(f"{path}: {error.strerror or error}") from None
    except ConfigError as error:
        lines = "; ".join(f"{where}: {message}" for where, message in error.errors)
        raise PlayerFileError(f"{path}: {lines}") from None
    except ValueError as error:
        raise PlayerFileError(f"{path}: {error}") from None


def load_toml_player(path: str | Path) -> PlayerModel:
    """Return the player that the TOML file at *path* describes; `ConfigError` names the file."""
    data = read_toml_file(path, MAX_BYTES)
    return checked(
        lambda: PLAYER_ADAPTER.validate_python(data),
        lambda error: ConfigError(problems(error, PlayerModel)),
    )


def read_player(data: object) -> CarriedModel:
    """Return the player of plain *data* that a run carries; `ConfigError` shows every mistake."""
    return checked(
        lambda: CARRIED_ADAPTER.validate_python(data),
        lambda error: ConfigError(problems(error, CarriedModel)),
    )


def _check_file(data: object) -> SavedPlayer:
    if not isinstance(data, dict) or data.get("kind") != "evoply player":
        raise ValueError("this is not a saved player")
    version = data.get("format")
    if type(version) is not int or version < 1:
        raise ValueError("this is not a saved player: its format is missing or wrong")
    if version > FORMAT:
        raise ValueError(
            f"saved in format {version}, and this version reads format {FORMAT}: update evoply"
        )
    if set(data) != _FIELDS:
        wrong = sorted(str(name)[:40] for name in set(data) ^ _FIELDS)
        raise ValueError(f"fields are missing or unknown: {', '.join(wrong)}")
    without_checksum(data)
    game = game_spoken(data["game"]) if isinstance(data["game"], str) else data["game"]
    saved = checked(
        lambda: SavedPlayer(game=game, origin=data["origin"], player=data["player"]),
        lambda error: ConfigError(problems(error, SavedPlayer)),
    )
    saved.player.check_fits(saved.game)
    return saved


LONGEST_SHOWN = 120
MOST_MEN = 100.0
"""The most men that a king may be worth."""

_FILE = re.compile(r"(?P<path>.+?\.(?:json|toml))(?::(?P<options>.*))?", re.DOTALL | re.IGNORECASE)


class _Grammar(NamedTuple):
    """What a text may name beside the players that evoply knows by name, and trees."""

    kinds: Sequence[type[PlayerModel]]
    has_files: bool


_OF_USERS, _OF_CARRIED = _Grammar(KINDS, has_files=True), _Grammar(DATA_KINDS, has_files=False)


class PlayerTextError(ValueError):
    """A text does not name a player; `column` counts characters from 1."""

    column: int

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.column = column


Runs = Callable[[str], Player]
"""Returns the champion for the text after `champion@`; see `evoply.runs.resolve_champion`."""


def parse_player(
    text: str,
    *,
    game: str = "othello",
    primitives: PrimitiveSet | str | None = None,
    runs: Runs | None = None,
) -> PlayerModel:
    """Return the player that *text* names, checked to fit *game*; for the grammar see the module.

    *primitives* is the set that a tree is written in, unless its options name one. *runs* gives
    the champion for the text after `champion@`, by default of `evoply.parse_player` among your
    runs. Raises PlayerTextError, TreeSyntaxError, PlayerFileError or ConfigError, all ValueErrors.

    >>> parse_player("material:depth=4").depth
    4
    >>> parse_player("( + white 10 ):ties=random,epsilon=0.1").label
    '( + white 10 ):ties=random,epsilon=0.1'
    """
    game_rules(game)
    if not isinstance(text, str):
        raise PlayerTextError(
            f"a player is named by a text such as 'greedy', not by a {type(text).__name__}", 1
        )
    start = len(text) - len(text.lstrip())
    bare = text.strip().removesuffix(NOT_REPRODUCIBLE)
    if not bare:
        raise PlayerTextError(f"a player is missing: one of {_names()}, or a file", 1)
    if primitives is not None:
        primitives = find_primitive_set(primitives)
    player = _parse(bare, start + 1, game, primitives, runs)
    try:
        player.check_fits(game)
    except ValueError as error:
        short = shorten(bare, LONGEST_SHOWN)
        raise PlayerTextError(f"{short!r} cannot play {game}: {error}", start + 1) from None
    return player


def read_player_of(source: object, game: str, runs: Runs | None = None) -> Player:
    """Return the player that a text names, as `parse_player` does, or that `player_of` gives."""
    if isinstance(source, str):
        return parse_player(source, game=game, runs=runs)
    return player_of(source)


def with_options(
    player: object,
    options: Mapping[str, Any],
    *,
    name: str | None = None,
    game: str = "othello",
    runs: Runs | None = None,
) -> PlayerModel:
    """Return *player* with other options (not those of a tree); depth 0 is the after-state.

    A text is read as the player of *game* that it names, with *runs* for champions. A limit in
    nodes, work or time without a depth means as deep as the limit allows; nodes and work take each
    other's place.
    """
    if not isinstance(options, Mapping):
        raise TypeError(f"options: give a dict such as {{'depth': 2}}, not {options!r:.40}")
    chosen = dict(options)
    model = model_of(read_player_of(player, game, runs))
    if not isinstance(model, RandomPlayer | ValuingPlayer | Staged | RandomStart):
        label = model.name if name is None else _short_name(name)
        return model.with_options(chosen).model_copy(update={"name": label})
    start = model if isinstance(model, RandomStart) else None
    plies = chosen.pop("random_plies", start.plies if start else 0)
    base = start.player if start else model
    changed = base.with_options(chosen)
    if not plies:
        return changed if name is None else changed.model_copy(update={"name": _short_name(name)})
    after: Any = changed.model_copy(update={"name": base.name})
    return RandomStart(plies=plies, player=after, name=None if name is None else _short_name(name))


def _short_name(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in " ".join(name.split()))[:LONGEST_NAME]


def _parse(
    bare: str, column: int, game: str, primitives: PrimitiveSet | None, runs: Runs | None
) -> PlayerModel:
    grammar = _OF_CARRIED if is_carried() else _OF_USERS
    if bare.startswith(("(", "{")):
        tree, colon, options = bare.partition(":")  # no primitive's name has a colon
        section = _Options("a tree", colon, options, column + len(tree))
        return _tree(tree.strip(), section, primitives)
    name, colon, options = bare.partition(":")
    section = _Options(name, colon, options, column + len(name))
    kind, at, run = name.partition("@")
    if kind.strip() == "champion":  # before files: a run may be called like one
        champion = _champion(run.strip(), column, runs)
        return with_options(champion, section.read(champion.text_readers() or _ANY), name=bare)
    for model in grammar.kinds:
        try:
            player = model.from_text(bare, game)
        except ValueError as error:
            raise PlayerTextError(str(error), column) from None
        if player is not None:
            return player
    for model in grammar.kinds:
        if name.strip() in model.names and model.text_options():
            # Before files: an option may end in the name of one.
            return _of_kind(model, name.strip(), section, game, primitives, runs)
    file = _FILE.fullmatch(bare) if grammar.has_files else None
    if file is not None:
        path, options = file["path"], file["options"]
        colon = "" if options is None else ":"
        chosen = _Options("a file", colon, options or "", column + len(path)).read(_ANY)
        is_saved = path.lower().endswith(".json")
        player = load_player(path, game=game) if is_saved else load_toml_player(path)
        return with_options(player, chosen, name=bare if chosen else None)
    if at or name.strip() not in NAMED_PLAYERS:
        _unknown(name.strip(), column, grammar)
    return _named_player(name.strip(), section, bare, game)


def _of_kind(
    model: type[PlayerModel],
    name: str,
    options: _Options,
    game: str,
    primitives: PrimitiveSet | None,
    runs: Runs | None,
) -> PlayerModel:
    """Return the player of a kind by one of its names, with the options after the name."""
    player = model.from_text(name, game)
    assert player is not None  # the kind lists the name

    def read_player(text: str, column: int) -> PlayerModel:
        return _parse(text, column, game, primitives, runs)

    players = dict.fromkeys(model.text_players, read_player)
    chosen = options.read(model.text_readers(), players)
    try:
        return player.with_options(chosen)
    except ValueError as error:
        raise PlayerTextError(str(error), options.column + 1) from None


def _tree(tree: str, options: _Options, primitives: PrimitiveSet | None) -> PlayerModel:
    chosen = options.read({**_ANY, **_TREE})
    fields = {key: chosen.pop(key) for key in list(chosen) if key in _TREE}
    if primitives is not None:
        fields.setdefault("primitives", primitives)
    evaluator = TreeEvaluator(tree=tree, **fields)
    if not _STAGES.keys() & chosen.keys():
        return with_options(AfterState(evaluator=evaluator), chosen)
    if evaluator.parsed.role not in STAGED:
        raise PlayerTextError(STAGES_ONLY, options.column + 1)
    return with_options(Staged(evaluator=evaluator), chosen)


def _champion(run: str, column: int, runs: Runs | None) -> PlayerModel:
    if runs is None:
        raise PlayerTextError(
            f"champion@{shorten(run)} cannot be looked up here: in Python use evoply.match, or "
            "give runs=evoply.runs.resolve_champion; elsewhere name a saved player's file",
            column,
        )
    return model_of(runs(run))


def _named_player(name: str, options: _Options, bare: str, game: str) -> PlayerModel:
    named = NAMED_PLAYERS[name]
    expression = named.expression
    # A wrong board has its own message when the player is checked.
    rules, shapes = game_rules(game), {game_rules(name).shape for name in named.games}
    is_elsewhere = bool(named.games) and rules.kernel not in named.games
    if is_elsewhere and (named.by_game or named.text or rules.shape in shapes):
        message = f"{bare!r} cannot play {game}: {name} plays {', '.join(named.games)}"
        raise PlayerTextError(message, options.column - len(name))
    if named.text:
        player = _parse(named.text, options.column, game, None, None)
        return with_options(player, options.read(_ANY), name=bare)
    if expression is None:
        options.read({})
        return with_options(RandomPlayer(), {}, name=bare)
    expression = named.by_game.get(rules.kernel, expression)
    king = {"king": number(float, 0.0, MOST_MEN, "number of men")} if named.counts_kings else {}
    read = options.read({**_SEARCH, **king})
    worth = read.pop("king", 1.0)
    chosen = {**named.leaves, **read}
    if not set(SEARCH_LIMITS) & set(chosen):
        chosen = {"depth": named.depth or int("timing" in chosen), **chosen}
    evaluator = _evaluator(expression, worth)
    return with_options(AfterState(evaluator=evaluator, view=named.view), chosen, name=bare)


@lru_cache(maxsize=64)
def _evaluator(expression: Number, worth: float) -> ExpressionEvaluator:
    """Return the evaluator of a named player, whose kings are *worth* that many men.

    It is cached, because reading an expression takes longer than a short match.
    """
    if worth != 1:
        expression = expression + (worth - 1) * KINGS
    return ExpressionEvaluator(expression=expression.to_dict())


def _unknown(name: str, column: int, grammar: _Grammar) -> NoReturn:
    hint = did_you_mean(name, [*NAMED_PLAYERS, *_KIND_NAMES, "champion"], most=3)
    if any(name in primitives for primitives in PRIMITIVE_SETS.values()):
        hint = f"; did you mean the tree '( {name} )'?"
    hint = hint or ". Players are such as strong, greedy or champion;"
    others = "`evoply match --help` says what a player may be, docs/players.md names all"
    if not grammar.has_files:
        others = "files, bots, engines and Python cannot be named here"
    message = f"no player is called {shorten(name)!r}{hint} {others}"
    raise PlayerTextError(message, column)


_KIND_NAMES = tuple(name for kind in KINDS for name in kind.names)


def _names() -> str:
    # Many are variants of one; the table of named players in docs/players.md has them all.
    shown = [re.sub("^(material|demo|readable)-.*", r"\1-...", name) for name in NAMED_PLAYERS]
    names = ", ".join(dict.fromkeys([*shown, *_KIND_NAMES]))
    return f"{names}, a tree such as ( + white 10 ), champion@RUN"


_NO_PLAYERS: Mapping[str, Callable[[str, int], Any]] = MappingProxyType({})


class _Options:
    """The part `:key=value,...` of a player, with the column where it begins."""

    def __init__(self, owner: str, colon: str, text: str, column: int) -> None:
        self.owner, self.colon, self.text, self.column = owner, colon, text, column

    def read(
        self,
        allowed: Mapping[str, Callable[[str], Any]],
        players: Mapping[str, Callable[[str, int], Any]] = _NO_PLAYERS,
    ) -> dict[str, Any]:
        """Return the options by name; `PlayerTextError` has the column of the wrong option.

        Those of *players* are read with the column of their text.
        """
        if not self.colon:
            return {}
        values: dict[str, Any] = {}
        column, names = self.column + 1, [*allowed, *players]
        for part in self._parts(names, players):
            key, equals, value = part.partition("=")
            key = key.strip()
            where = column + len(part) - len(part.lstrip())
            if not equals or key not in names:
                raise PlayerTextError(self._refusal(key, bool(equals), names), where)
            if key in values:
                raise PlayerTextError(f"option {key} is given twice", where)
            begins = column + len(part) - len(value.lstrip())
            if key in players:
                values[key] = players[key](value.strip(), begins)
            else:
                try:
                    values[key] = allowed[key](value.strip())
                except ValueError as error:
                    where = column + len(part) - len(value)
                    raise PlayerTextError(f"{key} {error}", where) from None
            column += len(part) + 1
        return values

    def _parts(self, names: Collection[str], players: Collection[str]) -> list[str]:
        """Return the texts of the options.

        An option that is a player with options of its own, or a tree, goes on with whatever is not
        called like one of *names*.
        """
        parts: list[str] = []
        is_player = False
        for part in self.text.split(","):
            key, _, value = part.partition("=")
            if is_player and key.strip() not in names:
                parts[-1] += f",{part}"
                continue
            is_player = key.strip() in players and (
                ":" in value or value.lstrip().startswith(("(", "{"))
            )
            parts.append(part)
        return parts

    def _refusal(self, key: str, has_value: bool, allowed: Sequence[str]) -> str:
        if not allowed:
            return f"{self.owner} has no options"
        listed = f"the options of {self.owner} are {', '.join(allowed)}"
        if not has_value and (not key or key in allowed):
            return f"an option is written key=value, as in :ties=random; {listed}"
        hint = did_you_mean(key, allowed) or "."
        return f"no option {shorten(key)!r}{hint} T{listed[1:]}"


def _set_name(text: str) -> str:
    # The set of a game's rules is made when it is named, so it is in no table.
    is_of_rules = text.startswith(f"{FACTS}-")
    return find_primitive_set(text).name if is_of_rules else choice(*PRIMITIVE_SETS)(text)


_SEARCH: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {**readers(AlphaBeta), "random_plies": field_reader(RandomStart, "plies")}
)
_STAGES: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {name: field_reader(Staged, name) for name in OF_STAGES}
)
_ANY = MappingProxyType({**_SEARCH, **_STAGES})
_TREE: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {
        "primitives": _set_name,
        **{name: field_reader(TreeEvaluator, name) for name in ("division", "lenient")},
    }
)


# Writing a player to a file.


def save_player(
    path: str | Path,
    player: object,
    origin: Origin | None = None,
    *,
    game: str = "othello",
    runs: Runs | None = None,
) -> None:
    """Write *player*, who plays *game*, to *path*, whole or not at all.

    A text is read as `parse_player` does, with *runs* for champions; a tree is saved as the player
    that `player_of` returns. Raises `ValueError` if it does not fit *game*, is a bot, or is of your
    own kind and could not be read again; TypeError for an object in Python; OSError of the file.
    """
    model = model_of(read_player_of(player, game, runs))
    model.check_fits(game)
    contained = model.self_contained()
    if type(model) not in KINDS:
        raise ValueError(
            f"{model.label}: a player of your own kind, {qualified_name(model)}, cannot be saved: "
            "no reader of the file would know it - name it where a player is read, as "
            "python:FILE.py:NAME"
        )
    content = {
        "format": FORMAT,
        "kind": "evoply player",
        "game": spoken_name(game),
        "origin": (origin or Origin()).model_dump(mode="json"),
        "player": contained.model_dump(mode="json"),
    }
    text = json.dumps(with_checksum(content), indent=1) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise ValueError(f"the player is too large to save: more than {MAX_BYTES:,} bytes")
    write_atomically(path, text)


# Seeds of an evolution: individuals of saved players, made of the primitives of the run.


def seed_individual(player: Player | str | Path, primitives: PrimitiveSet) -> Genotype:
    """Return the tree, or trees, of *player* with *primitives*; a path names a saved player.

    Every primitive must mean the same in the player's set and in *primitives*, and so must weights;
    the same name is not enough. Raises `TreeError` if it has no tree, or uses another primitive.
    """
    model = model_of(load_player(player) if isinstance(player, str | Path) else player)
    valuing = model.valuing()
    if valuing is None or not isinstance(valuing.evaluator, TreeEvaluator):
        raise TreeError(
            f"{shorten(str(player))} has no tree, so it cannot be a seed: name a tree or a player "
            "that was saved from one"
        )
    source, own = valuing.evaluator.parsed, valuing.evaluator.primitive_set
    if own.weights != primitives.weights:
        raise TreeError(
            f"the set {primitives.name} weighs leaves by their place in another way than "
            f"{own.name}, the set of this seed: choose a set with the same weights"
        )
    for node in (node for tree in branches(source) for node in tree.nodes):
        if isinstance(node, Primitive) and node.link is None:
            _check(node, primitives)
    try:
        return parse_individual(str(source), primitives)
    except (ValueError, ExpressionError) as error:
        raise TreeError(f"this seed cannot be read over {primitives.name}: {error}") from None


def _check(node: Primitive, primitives: PrimitiveSet) -> None:
    """Raise `TreeError` unless the set has the primitive of *node* with the same meaning."""
    if node.family not in primitives:
        raise TreeError(f"this seed needs {node.family}, which the set {primitives.name} lacks")
    known = primitives[node.family]
    same = (
        (known.expression, known.parameter, known.argument_types, known.introns, known.bits)
        == (node.expression, node.parameter, node.argument_types, node.introns, node.bits)
    )  # fmt: skip
    if not same:
        raise TreeError(
            f"{node.family} does not mean the same in {primitives.name} as in this seed"
        )
