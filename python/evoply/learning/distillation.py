"""Distillation: a player's knowledge as a formula of a few terms, which a person can play by.

The teacher plays itself and errs now and then; in the positions it meets it values the board after
every move (`choices`). Of many readable features, and products of two, the few are chosen whose
weights lose the least by the teacher's values (`selection`). The weights are then fitted again to
all positions, rounded to whole numbers, and judged on games that were not used before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from evoply.expressions import PrimitiveSet, board, less
from evoply.expressions.written_form import FormulaNames
from evoply.games import game_rules
from evoply.learning.choices import Array, Choices, choices_of, fitted_weights, values_at
from evoply.learning.chosen_columns import columns_by_loss
from evoply.learning.found_features import candidates_of_sets, usual_sets
from evoply.learning.staged_sums import Factors, StagedSum
from evoply.players import AlphaBeta, ExpressionEvaluator, model_of
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown, item_of

MOST_TERMS = 100
MOST_STAGES = 10
_LARGEST_WEIGHT = 100.0
"""Weights are whole numbers up to this; those of products have steps of their own."""
_HELD_OUT = 5
"""Every fifth game is held out, to judge by."""
_TO_CHOOSE_BY = 6_000
"""Terms are chosen by at most so many positions; their weights are fitted to all."""


@dataclass(frozen=True, slots=True)
class FormulaTerm(JsonData):
    """A term of the formula: its feature, and its weight in each stage of the game."""

    name: str
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Distilled(JsonData, Shown):
    """A formula that stands for a player, and how well it agrees."""

    teacher: str
    game: str
    terms: tuple[FormulaTerm, ...]
    """The largest weights first."""
    ends: tuple[float, ...]
    """Where each stage but the last ends, by the clock of the position, from 0 to 1."""
    player: AlphaBeta = field(metadata={"json": ""})
    """The formula one ply ahead; `with_options` gives it another depth. In Othello it sees replies
    that would take its last discs (`guard`): no sum of terms knows them."""
    lost: float
    """What its moves lose on average by the teacher's values, in the teacher's units (of `strong`:
    discs), on the positions held out. No move counts for more than a few times what a worse move
    usually loses."""
    lost_by_chance: float
    """What random moves would lose there."""
    agreement: float
    """How often it chooses a best move of the teacher's there."""
    by_chance: float
    """How often a random move would be one."""
    positions: int
    """Number of positions learned from."""
    held_out: int
    seed: int

    def __str__(self) -> str:
        parts = (
            f"{'/'.join(f'{weight:+g}' for weight in term.weights)} {term.name}"
            for term in self.terms
        )
        return f"{', '.join(parts)}: the move of {self.teacher} in {self.agreement:.1%}"

    def shown(self) -> Page:
        """Return the terms with their weights."""
        columns = (
            Column("name", "what is counted", str),
            *(
                Column("weights", stage, "{:+g}".format, read=item_of("weights", place))
                for place, stage in enumerate(self.stages)
            ),
        )
        return Page(f"{self.teacher}, distilled", [Section("", columns, self.terms)])

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages in words, as heads of columns."""
        if not self.ends:
            return ("worth",)
        return (*(f"to {end:.0%}" for end in self.ends), "to the end")


def distil(
    player: object,
    *,
    terms: int = 10,
    stages: int = 1,
    products: bool = False,
    game: str = "othello",
    primitives: Sequence[PrimitiveSet | str] | None = None,
    games: int = 500,
    seed: int = 1,
    random_moves: float = 0.1,
    opening_plies: int = 4,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Distilled:
    """Return *player* as a formula of at most *terms* terms.

    *player* is a text, a tree, or a player as data that values boards. The game is cut into
    *stages* of equal length by the clock of the position, and each has its own weights. With
    *products* a term may be a product of two features. *primitives* are sets, or their names, whose
    features the formula may use; by default those that fit the game. The teacher plays *games*
    games, one in five of them to judge by, each after *opening_plies* random plies and with
    *random_moves* as the probability of a random move. *progress* gets the share that is done.
    *runs* gives the champion for `champion@RUN`; `evoply.distil` looks among your runs. Raises
    `ValueError` for players that do not value boards.

    >>> formula = distil("mobility", terms=2, games=20)
    >>> [term.name for term in formula.terms], formula.agreement
    (['white_mobility - black_mobility'], 1.0)
    """
    _check(terms, stages, games)
    model = model_of(read_player_of(player, game, runs))
    teacher = model.valuing()
    if teacher is None:
        raise ValueError(f"{model.label}: this player has no values of boards to distil")
    teacher.check_fits(game)
    candidates = candidates_of_sets(usual_sets(game) if primitives is None else primitives, game)
    choices = choices_of(
        teacher,
        game,
        games=games,
        seed=seed,
        random_moves=random_moves,
        opening_plies=opening_plies,
        threads=threads,
        progress=progress,
    )
    is_held_out = choices.games % _HELD_OUT == 0
    learned, judged = choices.part(~is_held_out), choices.part(is_held_out)
    if not len(learned):
        raise ValueError("games: no position was met that leaves a choice: play more games")
    some = learned.sample(_TO_CHOOSE_BY)
    found = columns_by_loss(
        some,
        values_at([candidate.expression for candidate in candidates], game, some.rows),
        terms,
        factors=[
            index
            for index, candidate in enumerate(candidates)
            if products and not candidate.is_difference
        ],
    )
    parts = [
        Factors(
            tuple(candidates[column].expression for column in term),
            text=" * ".join(candidates[column].name for column in term),
        )
        for term in found
    ]
    ends = tuple(stage / stages for stage in range(1, stages))
    conditions = tuple(less(board.root_t, end) for end in ends)
    fitted = _fitted(parts, _by_stage(learned, ends), game)
    order = np.argsort(-np.abs(fitted).max(axis=0, initial=0.0), kind="stable").tolist()
    scale = _LARGEST_WEIGHT / (np.abs(fitted).max(initial=0.0) or 1.0)
    total = StagedSum(
        conditions, {parts[index]: tuple((scale * fitted[:, index]).tolist()) for index in order}
    ).rounded()
    names = FormulaNames(
        {each.expression: each.name for each in candidates if not each.is_difference}
    )
    player_of_terms = AlphaBeta(
        evaluator=ExpressionEvaluator.of(total.value, names),
        view="player",
        depth=1,
        guard=bool(game_rules(game).solver),
    )
    lost = _lost(total, _by_stage(judged, ends), game)
    chances = judged.chances
    return Distilled(
        teacher=teacher.label if teacher.name is None else teacher.name,
        game=game,
        terms=tuple(FormulaTerm(part.text, row) for part, row in total.weights.items()),
        ends=ends,
        player=player_of_terms,
        lost=float(lost.mean()) if len(lost) else 0.0,
        lost_by_chance=float(judged.lost @ chances),
        agreement=float((lost == 0).mean()) if len(lost) else 0.0,
        by_chance=float(chances @ (judged.lost == 0)),
        positions=len(learned),
        held_out=len(judged),
        seed=seed,
    )


def _by_stage(choices: Choices, ends: Sequence[float]) -> list[Choices]:
    """Return the positions of each stage."""
    stage = np.searchsorted(np.array(ends), choices.clock, side="right")
    return [choices.part(stage == number) for number in range(len(ends) + 1)]


def _counted(parts: Sequence[Factors], game: str, choices: Choices) -> Array:
    if not parts or not len(choices):
        return np.zeros((len(choices.rows), len(parts)))
    return values_at([part.value(1, "one") for part in parts], game, choices.rows)


def _fitted(parts: Sequence[Factors], stages: Sequence[Choices], game: str) -> Array:
    """Return the weights of each stage; those of the nearest where no position was met."""
    met = [number for number, choices in enumerate(stages) if len(choices)]
    weights = {
        number: fitted_weights(stages[number], _counted(parts, game, stages[number]))
        for number in met
    }
    nearest = [min(met, key=lambda other: abs(other - number)) for number in range(len(stages))]
    return np.array([weights[number] for number in nearest])


def _lost(total: StagedSum, stages: Sequence[Choices], game: str) -> Array:
    """Return what the best move by *total* loses in each position."""
    lost = [np.zeros(0)]
    for number, choices in enumerate(stages):
        weights = np.array([row[number] for row in total.weights.values()])
        counted = _counted(list(total.weights), game, choices)
        best = choices.best(np.einsum("ij,j->i", counted, weights))
        lost.append(choices.lost[best])
    return np.concatenate(lost)


def _check(terms: int, stages: int, games: int) -> None:
    for name, value, most in (
        ("terms", terms, MOST_TERMS),
        ("stages", stages, MOST_STAGES),
        ("games", games, 100_000),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{name}: {value} is not a number from 1 to {most:,}")
