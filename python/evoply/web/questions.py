"""Questions about a position: what each move is worth, and why; what a player sees there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from evoply._native import Stream
from evoply.environment import core_count
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import PlayerKind
from evoply.players.searcher import asked as asked_of
from evoply.players.strong import LEVEL_NAMES
from evoply.protocols import Clock, Color, GameRecord
from evoply.web.messages import (
    Bound,
    ChoiceAsked,
    ChoiceShown,
    LevelBounds,
    QuestionAsked,
    Review,
    ReviewAsked,
    ReviewedMove,
    ValuedMove,
    Values,
    XRayAsked,
    XRayShown,
)
from evoply.web.open_game import ConflictError, OpenGame
from evoply.web.thinking import OpponentReader
from evoply.wording import short_name

if TYPE_CHECKING:
    from evoply.reports.adviser import Adviser
    from evoply.reports.scale import Scale
    from evoply.reports.x_ray import XRay


_LONGEST_REVIEW = 10.0
"""Seconds after which a review begins no further move; its answer has those that it has."""
_FOR_A_LINE = 0.05
"""Seconds for the line after a move, without which no reason is given."""


async def values_of_moves(game: OpenGame, question: QuestionAsked, read: OpponentReader) -> Values:
    """Return what the moves of *game* at the ply of *question* are worth, by the game's adviser."""
    record = _record_at(game, question.ply)
    adviser = _adviser(game, question.player, read)

    def ask() -> Values:
        from evoply.reports.reasons import reasons_of

        with adviser() as asked:
            advice = asked.values(record, seconds=question.seconds, threads=0)
            why = reasons_of(asked, record, advice, seconds=_FOR_A_LINE)
        texts = {move: record.position.short_text(move) for move in record.position.legal_moves}
        best = advice.worth or 0.0
        line = game_rules(game.stored.game).game(record.position, (), NO_DRAWS)
        for move in advice.line:
            line = line.play(move)
        return Values(
            player=short_name(advice.player),
            unit=advice.scale.unit,
            best=texts[advice.best],
            path=list(advice.best.path),
            moves=[
                ValuedMove(
                    move=texts[move],
                    path=list(move.path),
                    value=worth,
                    text=advice.text(worth),
                    loss=best - worth,
                )
                for move, worth in advice.moves
            ],
            depth=advice.depth,
            exact=advice.is_exact,
            line=list(line.move_texts()),
            why=why.hint,
        )

    return await game.pool.run((game.stored.id, "question"), ask)


async def choice_of(game: OpenGame, asked: ChoiceAsked, read: OpponentReader) -> ChoiceShown:
    """Return what the player of *asked* plays at the end of *game*, and why: of one draw.

    If it moves next, that is the move which it plays.
    """
    record = game.record
    if game.playing.is_over:
        raise ConflictError("the game is over - take a move back to ask")
    turn = record.position.turn
    own = game.sides[turn]
    is_next = own.player is not None and asked.player in (None, own.text)
    player = own.player if is_next else _opponent(game, asked.player, read)
    assert player is not None  # the side to move is a player's

    def ask() -> ChoiceShown:
        from evoply.reports.reasons import why

        stream = Stream(game.stored.seed, "play", "game")
        clock = Clock(move_seconds=game.stored.seconds)
        seat = player.seat(game.stored.game)
        try:
            move = asked_of(seat, record, stream, clock=clock).move
        finally:
            seat.close()
        text = record.position.short_text(move)
        try:
            reason = why(player, record, chosen=move).sentence
        except ValueError:
            reason = f"It plays {text}, and does not say why: it gives boards no values."
        return ChoiceShown(
            player=short_name(player.label),
            move=text,
            path=list(move.path),
            is_next=is_next,
            why=reason,
        )

    return await game.pool.run((game.stored.id, "question"), ask)


async def review_of(game: OpenGame, asked: ReviewAsked, read: OpponentReader) -> Review:
    """Return what the plies of *asked* lost in *game*, by the game's adviser."""
    record = game.record
    adviser = _adviser(game, None, read)
    plies = range(min(asked.since, len(record)), min(asked.since + asked.count, len(record)))

    def ask() -> Review:
        from evoply.reports.adviser import EXACT_EMPTIES
        from evoply.reports.scale import bounds_of_levels

        exact = EXACT_EMPTIES if asked.exact else None
        # A helper for each core takes the next ply that is left: late plies are slower.
        moves: dict[int, ReviewedMove] = {}
        waiting, begun = iter(plies), monotonic()
        lock = Lock()

        def work() -> None:
            with adviser() as judge:
                while True:
                    with lock:
                        ply = next(waiting, None)
                    if ply is None or monotonic() - begun > _LONGEST_REVIEW:
                        return
                    moves[ply] = _reviewed(judge, record, ply, asked.depth, exact)

        workers = max(1, min(core_count(), len(plies)))
        with ThreadPoolExecutor(workers) as threads:
            for done in [threads.submit(work) for _ in range(workers)]:
                done.result()
        with adviser() as judge:
            scale = judge.scale
            return Review(
                player=short_name(judge.player.label),
                unit=scale.unit,
                bounds=_bounds(scale, scale.bounds),
                levels=[
                    LevelBounds(level=level, title=title, bounds=_bounds(scale, bounds))
                    for level, (title, bounds) in enumerate(
                        zip(LEVEL_NAMES, bounds_of_levels(game.stored.game), strict=False), 1
                    )
                ],
                moves=[moves[ply] for ply in plies if ply in moves],
            )

    found: Review = await game.pool.run((game.stored.id, "question"), ask)
    async with game.reviewing:
        before = await kept_review(game)
        known = {} if before is None else {one.ply: one for one in before.moves}
        known |= {
            one.ply: one
            for one in found.moves
            if one.ply not in known or one.depth >= known[one.ply].depth
        }
        whole = found.model_copy(update={"moves": [known[ply] for ply in sorted(known)]})
        kept = json.dumps([record.move_texts(), whole.model_dump(mode="json")])
        await game.store.keep_review(game.stored.id, kept)
    return found


def _bounds(scale: Scale, bounds: Iterable[tuple[str, float]]) -> list[Bound]:
    return [
        Bound(grade=grade, loss=least, text=scale.difference_text(least)) for grade, least in bounds
    ]


async def kept_review(game: OpenGame) -> Review | None:
    """Return what earlier reviews found of the moves of *game* that are still there."""
    kept = await game.store.review(game.stored.id)
    if kept is None:
        return None
    try:
        texts, data = json.loads(kept)
        review = Review(**data)
    except ValueError:  # another evoply wrote it, in a form of its own
        return None
    same = 0
    for before, now in zip(texts, game.record.move_texts(), strict=False):
        if before != now:
            break
        same += 1
    return review.model_copy(update={"moves": [one for one in review.moves if one.ply <= same]})


def _reviewed(
    judge: Adviser, record: GameRecord, ply: int, depth: int, exact: int | None
) -> ReviewedMove:
    from evoply.reports.game_analysis import analysed_move

    found = analysed_move(judge, record, ply, exact=exact, depth=depth, forced=True)
    scale, position = judge.scale, record.positions[ply]
    assert found.best_score is not None  # forced moves have a worth, too
    black = position.turn is Color.BLACK
    value = found.best_score if black else scale.opposite(found.best_score)
    loss = found.loss or 0.0
    best = game_rules(position.game).game(position, (), NO_DRAWS).play(found.best or found.move)
    return ReviewedMove.of(
        found,
        path=list(record.moves[ply].path),
        value=value,
        text=scale.text(value, is_exact=found.exact),
        loss=loss,
        loss_text=scale.difference_text(loss, is_exact=found.exact) if loss else "",
        best=found.best or found.move,
        best_path=list(best.moves[-1].path),
        had_choice=len(position.legal_moves) > 1,
    )


async def xray_of(game: OpenGame, question: XRayAsked, read: OpponentReader) -> XRayShown:
    """Return what the player of *question* sees in *game* at its ply."""
    record = game.record.first(_place(game, question.ply))
    advisers = _seen_by(game, question.player, read)
    colors = {side.player: color for color, side in game.sides.items() if side.player is not None}

    choices = dict(game.choices)  # those of the other side are of other plies

    def look() -> XRayShown:
        from evoply.reports.x_ray import xray

        trouble = ""
        for player in advisers:
            try:
                seen = xray(
                    player,
                    record,
                    color=colors.get(player),
                    stream=Stream(game.stored.seed, "play", "game"),
                    clock=Clock(move_seconds=game.stored.seconds),
                    choices=choices if player in colors else None,
                )
            except ValueError as error:
                trouble = str(error)
                continue
            return _message(seen)
        raise ConflictError(trouble)

    return await game.pool.run((game.stored.id, "x-ray"), look)


def _message(seen: XRay) -> XRayShown:
    from evoply.reports.x_ray import value_text

    data = seen.to_dict() | {"player": short_name(seen.player), "tree": seen.svg()}
    for shown, feature in zip(data["features"], seen.features, strict=True):
        shown["value"] = value_text(feature.value)
    return XRayShown(**data)


def _place(game: OpenGame, ply: int | None) -> int:
    """Return how many plies were played before the position of a question."""
    count = len(game.record) if ply is None else ply
    if count > len(game.record):
        raise ConflictError(f"ply: {count} - the game has {len(game.record)} plies now")
    return count


def _record_at(game: OpenGame, ply: int | None) -> GameRecord:
    """Return a game that is at the position of a question, at which it is not over."""
    position = game.record.positions[_place(game, ply)]
    if not position.legal_moves:
        raise ConflictError("the game is over there - ask about an earlier move")
    record: GameRecord = game_rules(game.stored.game).game(position, (), NO_DRAWS)
    return record


def _adviser(game: OpenGame, text: str | None, read: OpponentReader) -> Callable[[], Adviser]:
    """Return what makes an adviser: the player *text*, or that of the game."""
    name = game.stored.game
    player = read(text or game_rules(name).adviser, name)
    stream = Stream(game.stored.seed, "play", "game")

    def make() -> Adviser:
        # Only here: a server that begins does not wait for what explains players.
        from evoply.reports.adviser import Adviser

        return Adviser(name, player, stream=stream)

    return make


def _opponent(game: OpenGame, text: str | None, read: OpponentReader) -> PlayerKind:
    """Return the player *text*, or the one that plays the other side."""
    if text:
        return read(text, game.stored.game)
    player = game.sides[game.record.position.turn.opposite].player
    if player is None:
        raise ConflictError("player: nobody plays but people - name one, or ask for a hint")
    return player


def _seen_by(game: OpenGame, text: str | None, read: OpponentReader) -> list[PlayerKind]:
    """Return whose x-ray is shown: the player *text*, or those who play, then the adviser."""
    if text:
        return [read(text, game.stored.game)]
    players = [side.player for side in game.sides.values() if side.player is not None]
    players.append(read(game_rules(game.stored.game).adviser, game.stored.game))
    return players
