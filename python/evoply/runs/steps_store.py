"""Steps kept as their learner's own data: the result of `dump` as JSON, beside the usual facts."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evoply.checksums import Database, Group
from evoply.own_code import qualified_name
from evoply.players.player import KINDS
from evoply.players.player_kind import PlayerKind
from evoply.protocols import RunError, StorableLearner
from evoply.runs.columns import Row
from evoply.runs.plain_display import USUAL
from evoply.runs.schema import read_state, read_steps


def present(learner: StorableLearner | None, name: str) -> StorableLearner:
    """Return *learner*; `RunError` if it, called *name*, is missing."""
    if learner is None:
        raise RunError(
            f"this run needs the learner {name}, written in Python: give it, as in "
            "evoply.Run.open(PATH, learner=...)"
        )
    return learner


def _rows(database: Database) -> list[dict[str, Any]]:
    return [
        {"number": step.number, "digest": step.digest, **step.statistics, "seconds": step.seconds}
        for step in read_steps(database)
    ]


@dataclass(frozen=True, slots=True)
class StepsStore:
    """See `evoply.runs.kind.Store`; *name* is the learner's."""

    name: str
    learner: StorableLearner | None

    tables: ClassVar[str] = ""
    groups: ClassVar[tuple[Group, ...]] = ()
    exports: ClassVar[Mapping[str, Callable[[Database], list[dict[str, Any]]]]] = {
        "generations": _rows
    }

    def check_step(self, config: Any, step: Any, /) -> None:
        """Raise ValueError if *step* breaks the contract of steps."""
        if not isinstance(step.digest, str) or not step.digest:
            raise self._wrong(step, "its digest must be a text")
        for name, value in step.statistics.items():
            if name in USUAL:
                raise self._wrong(step, f"rename the statistic {name!r}: rows have this key")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not isinstance(name, str) or not is_number or not math.isfinite(value):
                raise self._wrong(step, f"its statistic {name!r} must be a finite number")
        if not step.champions:
            raise self._wrong(step, "it needs a champion, a player of evoply.players")
        for player in step.champions:
            player.check_fits(config.game)
            if isinstance(player, PlayerKind) and type(player) not in KINDS:
                raise self._wrong(
                    step,
                    f"its champion is of your own kind, {qualified_name(player)}, which no reader "
                    "of the run would know: give an OwnPlayer with its python:FILE.py:NAME",
                )
        if step.number == 0:
            again = self._learner.load(config, json.loads(self._text(step)))
            if again.number != 0 or again.digest != step.digest:
                raise self._wrong(step, "load(config, dump(step)) must give the same step")

    def write(self, database: Database, step: Any, /) -> str:
        """Return *step* as the learner dumps it."""
        return self._text(step)

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        """Return the step that the learner loads from the stored data."""
        return self._learner.load(config, read_state(database, number))

    def is_unchanged(self, config: Any, step: Any, digest: str, /) -> bool:
        """Return whether *step* has the stored digest."""
        return bool(step.digest == digest)

    def step_data(self, row: Row, /) -> dict[str, Any]:
        """Return the row."""
        return dict(row)

    @property
    def _learner(self) -> StorableLearner:
        return present(self.learner, self.name)

    def _text(self, step: Any) -> str:
        try:
            return json.dumps(self._learner.dump(step), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise self._wrong(step, f"dump must give JSON-ready data: {error}") from None

    def _wrong(self, step: Any, what: str) -> ValueError:
        return ValueError(f"step {step.number} of {self.name} cannot be kept: {what}")
