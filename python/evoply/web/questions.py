"""Questions about a position: what each move is worth, and why; what a player sees there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evoply._native import Stream
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.players import PlayerKind, Searcher, steady_player
from evoply.protocols import Clock, GameRecord
from evoply.web.ladder import adviser_of
from evoply.web.messages import (
    FeatureShown,
    QuestionAsked,
    ValuedMove,
    Values,
    XRayAsked,
    XRayShown,
)
from evoply.web.open_game import ConflictError, OpenGame
from evoply.web.outside_players import OpponentReader
from evoply.wording import short_name

if TYPE_CHECKING:
    from evoply.reports.x_ray import XRay


async def values_of_moves(game: OpenGame, question: QuestionAsked, read: OpponentReader) -> Values:
    """Return what the moves of *game* at the ply of *question* are worth to its player."""
    position = game.record.positions[_place(game, question.ply)]
    if not position.legal_moves:
        raise ConflictError("the game is over there - ask about an earlier move")
    record = game_rules(game.stored.game).game(position, (), NO_DRAWS)
    advisers = _advisers(game, question.player, read)

    def ask() -> Values:
        return _values(record, advisers, question.seconds, game.stored.seed)

    return await game.pool.run((game.stored.id, "question"), ask)


async def xray_of(game: OpenGame, question: XRayAsked, read: OpponentReader) -> XRayShown:
    """Return what the player of *question* sees in *game* at its ply."""
    record = game.record.first(_place(game, question.ply))
    advisers = _advisers(game, question.player, read)
    colors = {side.player: color for color, side in game.sides.items() if side.player is not None}

    choices = dict(game.choices)  # those of the other side are of other plies

    def look() -> XRayShown:
        # Only here, as in `_values`: a server that begins does not wait for what explains players.
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

    data = seen.to_dict()
    features = [
        FeatureShown.of(feature, value=value_text(feature.value), adds=written["adds"])
        for feature, written in zip(seen.features, data["features"], strict=True)
    ]
    return XRayShown.of(
        seen,
        player=short_name(seen.player),
        features=features,
        tree=seen.svg(),
        **{name: data[name] for name in ("value", "squares", "rest")},
    )


def _place(game: OpenGame, ply: int | None) -> int:
    """Return how many plies were played before the position of a question."""
    count = len(game.record) if ply is None else ply
    if count > len(game.record):
        raise ConflictError(f"ply: {count} - the game has {len(game.record)} plies now")
    return count


def _advisers(game: OpenGame, text: str | None, read: OpponentReader) -> list[PlayerKind]:
    """Return whom to ask: the player *text*, or those who play, then one who always knows."""
    if text:
        return [read(text, game.stored.game)]
    players = [side.player for side in game.sides.values() if side.player is not None]
    players.append(read(adviser_of(game.stored.game), game.stored.game))
    return players


def _values(record: GameRecord, advisers: list[PlayerKind], seconds: float, seed: int) -> Values:
    """Return what the first of *advisers* that values moves says."""
    from evoply.reports.analysis_page import score_text

    position = record.position
    for player in advisers:
        try:
            with Searcher(
                player, game=position.game, stream=Stream(seed, "play", "game")
            ) as searcher:
                choice = searcher.think(record, hard=seconds, every_move=True)
        except ValueError:
            continue
        if not choice.moves and len(position.legal_moves) > 1:
            continue
        texts = {move: position.short_text(move) for move in position.legal_moves}
        best = choice.moves[0][1] if choice.moves else 0.0
        is_exact = "exact" in choice.notes
        line = record
        for move in choice.line:
            line = line.play(move)
        return Values(
            player=short_name(player.label),
            best=texts[choice.move],
            moves=[
                ValuedMove(
                    move=texts[move],
                    path=list(move.path),
                    value=value,
                    text=score_text(value, is_exact=is_exact),
                    loss=best - value,
                )
                for move, value in choice.moves
            ],
            depth=choice.depth,
            line=list(line.move_texts()),
            why=_why(player, record, choice.depth),
        )
    raise ConflictError("this player does not say what moves are worth - ask another one")


def _why(player: PlayerKind, record: GameRecord, depth: int) -> str | None:
    """Return why *player* chooses its move, as far ahead as its search has got; None if unknown."""
    from evoply.reports.reasons import why

    try:
        steady = steady_player(player)
        is_deeper = steady.plies_ahead > depth
        return why(steady.with_options({"depth": depth}) if is_deeper else steady, record).sentence
    except ValueError:
        return None
