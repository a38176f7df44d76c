"""Ready-made configs: commented TOML files that come with evoply.

`preset_text("demo")` is the text, comments included; `evoply presets NAME` prints it. `config_text`
is that of a preset or of a file. This module only returns text: it does not know settings.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evoply.environment.files import lies_in_run, read_limited
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean, shorten

__all__ = ["PRESETS", "Preset", "config_text", "preset_file", "preset_text"]

_LARGEST_FILE = 10_000_000
_EVOLVED = ("evolution", "islands")


@dataclass(frozen=True, slots=True)
class Preset:
    """A config file that comes with evoply and what it is for, in one line."""

    file: str
    title: str
    learner: str = "evolution"
    """The learner of the config: `evoply evolve` or `evoply learn` runs it."""
    game: str = "othello"
    """The game of the config, so that a list of presets reads no file."""

    @property
    def command(self) -> str:
        """The command that runs it."""
        return "evolve" if self.learner in _EVOLVED else "learn"


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "demo": Preset("demo.toml", "an Othello 8x8 player from random trees, in one minute"),
        "readable": Preset(
            "readable.toml",
            "a strong Othello 8x8 player of twelve terms in one minute, as `make demo` runs it",
        ),
        "quick": Preset(
            "quick.toml",
            "a small Othello 6x6 run of some seconds, to try things out",
            game="othello-6",
        ),
        "othello-6": Preset("othello-6.toml", "fifty generations of Othello 6x6", game="othello-6"),
        "squares": Preset(
            "squares.toml", "trees that compose sets of squares, on Othello 6x6", game="othello-6"
        ),
        "islands": Preset(
            "islands.toml",
            "four islands of Othello 8x8 players that exchange their best, in one minute",
            "islands",
        ),
        "benbassat-reversi-extended": Preset(
            "benbassat-reversi-extended.toml",
            "Benbassat & Sipper: typed trees four plies ahead, by co-play, which count corners",
        ),
        "benbassat-reversi": Preset(
            "benbassat-reversi.toml", "the same with the primitives that the paper lists"
        ),
        "benbassat-lose-checkers-extended": Preset(
            "benbassat-lose-checkers-extended.toml",
            "Benbassat & Sipper: lose checkers, counting kings, following captures to their end",
            game="lose-checkers",
        ),
        "benbassat-lose-checkers": Preset(
            "benbassat-lose-checkers.toml",
            "the same with the primitives that the paper lists, without following captures",
            game="lose-checkers",
        ),
        "benbassat-10-extended": Preset(
            "benbassat-10-extended.toml",
            "Benbassat & Sipper: 10x10 checkers, counting kings, following captures to their end",
            game="checkers-10",
        ),
        "benbassat-10": Preset(
            "benbassat-10.toml",
            "the same with the primitives that the paper lists, without following captures",
            game="checkers-10",
        ),
        "evomcts": Preset(
            "evomcts.toml",
            "Benbassat & Sipper: trees that guide the playouts of a tree search, on Othello 6x6",
            game="othello-6",
        ),
        "gpjpp": Preset("gpjpp.toml", "the engine of Liao's program: gpjpp with its defaults"),
        "firebrand": Preset(
            "firebrand.toml",
            "FIREBRAND: weights of Othello 10x10, learned by play",
            "learning",
            game="othello-10",
        ),
        "firebrand-8": Preset(
            "firebrand-8.toml", "the same on the usual board of Othello", "learning"
        ),
        "patterns-8": Preset(
            "patterns-8.toml",
            "tables of twelve patterns for Othello 8x8, from self-play",
            "patterns",
        ),
        "tuples-3": Preset(
            "tuples-3.toml", "the same of all straight tuples of three squares", "patterns"
        ),
        "tuples-evolved": Preset(
            "tuples-evolved.toml", "the same of twelve tuples that evolution found", "patterns"
        ),
        "tuples": Preset(
            "tuples.toml", "evolution of which squares belong together, on Othello 8x8", "tuples"
        ),
        "map-elites": Preset(
            "map-elites.toml",
            "a map of Othello 8x8 players: the best of each size and mobility",
        ),
        "strong": Preset(
            "strong.toml",
            "the tables of the player strong: seventeen patterns, twelve stages, labels",
            "patterns",
        ),
        "strong-checkers": Preset(
            "strong-checkers.toml",
            "its tables for checkers, men told from kings",
            "patterns",
            game="checkers",
        ),
        "strong-checkers-10": Preset(
            "strong-checkers-10.toml",
            "the same on the board of 10x10",
            "patterns",
            game="checkers-10",
        ),
    }
)


def preset_text(name: str) -> str:
    """Return the TOML text of the preset called *name*; raise ValueError if there is none.

    >>> "generations = 100" in preset_text("demo")
    True
    """
    if name not in PRESETS:
        raise ValueError(f"unknown preset {name!r}: the presets are {', '.join(PRESETS)}")
    return Path(__file__).with_name(PRESETS[name].file).read_text(encoding="utf-8")


def preset_file(name: str) -> str:
    """Return the path of evoply's preset *name*, in whose place no file of that name is read."""
    return str(Path(__file__).with_name(PRESETS[name].file))


def config_text(name: str) -> str:
    """Return the text of the config file *name*, or of the preset if there is no such file.

    Raises `ConfigError` with the reason if it cannot be read, and with a similar preset. What is
    carried names no file outside of the folder of its run.
    """
    if name in PRESETS and not os.path.isfile(name):
        return preset_text(name)
    from evoply.configs.own_code import is_carried  # what lists presets reads no config

    if is_carried() and not lies_in_run(name):
        raise ConfigError(
            [(shorten(name), "is a file, and what a run or an experiment carries names none")]
        )
    try:
        return read_limited(name, _LARGEST_FILE)
    except FileNotFoundError:
        hint = did_you_mean(name, PRESETS) or "."
        known = f"there is no such file and no preset of that name{hint}"
        problem = f"cannot be read: {known} The presets are {', '.join(PRESETS)}"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ValueError as error:
        problem = str(error)
    raise ConfigError([(shorten(name), problem)])
