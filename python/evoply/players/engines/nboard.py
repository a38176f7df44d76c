"""The NBoard protocol, version 2: the side that asks.

Lines have no answers, except `ping N`, answered by `pong N` when the engine is idle, and `go`,
answered by `=== MOVE/EVALUATION/SECONDS` (Edax writes blanks for the slashes, and small letters).
All other lines of an engine may be ignored.
"""

import math
import re
from collections.abc import Mapping, Sequence

from evoply.formats import GamePlayed, ggf
from evoply.players.engines.dialogue import LATE_START, MOST_TEXT, legal_move, no_answer
from evoply.processes import ForeignProcess
from evoply.protocols import Choice, Clock, GameRecord

USUAL_DEPTH = "6"
"""The default depth in plies that is sent to an engine."""
_NAME = "set myname "


class NBoardDialogue:
    """The NBoard protocol, spoken with one process."""

    def __init__(self, process: ForeignProcess, options: Sequence[tuple[str, str]]) -> None:
        self._process = process
        self._options = {"depth": USUAL_DEPTH, **dict(options)}
        self._pings = 0

    def introduce(self, game: str, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself."""
        self._process.send("nboard 2")
        for option in self._options.items():
            self._process.send(f"set {' '.join(option)}")
        news = self._at_rest(end, LATE_START)
        names = [line.removeprefix(_NAME).strip() for line in news if line.startswith(_NAME)]
        name = names[-1] if names else ""
        version = re.search(r"\b\d+(?:\.\d+)+\b", name)  # the protocol has no field for it
        return {"name": name, "version": version[0] if version else ""}

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice; each time, send it the whole game and the time left.

        The moves are sent without times, so the time of the game is that left for this move and
        later ones.
        """
        left = clock.seconds_left
        time = "0" if left is None else ggf.write_time(left, clock.increment)
        named = GamePlayed.of(
            game, black="Black", white="White", tags={"Site": "evoply", "TI": time}
        )
        self._process.send(f"set game {''.join(ggf.write([named])).strip()}")
        self._at_rest(end, late)
        self._process.send("go")
        *news, answer = self._until("===", end, late)
        answer = answer.strip()
        words = [
            word.strip()
            for word in re.split(r"[/\s]", answer.removeprefix("===").strip(), maxsplit=2)
        ]
        if not words[0]:
            raise no_answer(answer)
        move = legal_move(words[0], game)
        score = _number(words[1]) if len(words) > 1 else None
        return Choice(
            move,
            score=score,
            color=None if score is None else game.position.turn,
            depth=int(_last(r"search \S+ \S+ \S+ (\d{1,3})", news, "0")),
            nodes=int(_last(r"nodestats (\d{1,15})", news, "0")),
        )

    def _at_rest(self, end: float, late: str) -> list[str]:
        """Return the lines until the engine has done all commands."""
        self._pings += 1
        self._process.send(f"ping {self._pings}")
        return self._until(rf"pong\s*{self._pings}\b|pong$", end, late)

    def _until(self, sign: str, end: float, late: str) -> list[str]:
        """Return the next lines up to the one that begins with the pattern *sign*."""
        lines: list[str] = []
        size = 0
        pattern = re.compile(sign, re.IGNORECASE)
        while not lines or not pattern.match(lines[-1].strip()):
            lines.append(self._process.line(end, late))
            size += len(lines[-1]) + 1
            if size > MOST_TEXT:
                raise no_answer(lines[-1])
        return lines


def _number(text: str) -> float | None:
    """Return an evaluation, the first of two, which value a draw for either side."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    mean = sum(numbers) / len(numbers)
    return mean if math.isfinite(mean) else None


def _last(pattern: str, news: Sequence[str], otherwise: str) -> str:
    matches = filter(None, (re.match(pattern, line) for line in news))
    return [otherwise, *(match[1] for match in matches)][-1]
