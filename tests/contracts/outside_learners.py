"""Learners as a researcher writes them outside evoply, by documented names alone."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from evoply import PRIMITIVE_SETS, AfterState, Stream, TreeEvaluator, board, count, parse_tree
from evoply.arena import play_against, prepared
from evoply.expressions import squares
from evoply.gp import Limits, ramped_half_and_half, subtree_crossover, subtree_mutation
from evoply.players import ExpressionEvaluator


@dataclass(frozen=True)
class Settings:
    """The config of both."""

    game: str
    seed: int = 1
    generations: int = 4
    size: int = 12
    pairs: int = 4
    opponents: tuple[str, ...] = ("random", "greedy")
    threads: int = 1


@dataclass(frozen=True)
class State:
    """A step: all that the next one needs, as JSON has it."""

    number: int
    data: Mapping[str, Any]
    statistics: Mapping[str, float]
    champions: tuple[AfterState, ...]
    seconds: float = field(compare=False, default=0.0)

    @property
    def digest(self) -> str:
        text = json.dumps([self.number, self.data, self.statistics], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


class _Learner:
    """What both have in common: limits and storing."""

    config_type = Settings

    def is_finished(self, config: Settings, step: State, /) -> bool:
        return step.number + 1 >= config.generations

    def dump(self, step: State, /) -> Any:
        return {
            "number": step.number,
            "data": step.data,
            "statistics": step.statistics,
            "seconds": step.seconds,
        }

    def load(self, config: Settings, data: Any, /) -> State:
        return State(**data, champions=(self.champion(data["data"]),))

    def champion(self, data: Mapping[str, Any]) -> AfterState:
        raise NotImplementedError

    def scores(self, config: Settings, players: list[Any], number: int) -> np.ndarray:
        """Return the points per game of each, all on the same openings of this step."""
        return self.played(config, players, number).scores

    def played(self, config: Settings, players: list[Any], number: int) -> Any:
        return play_against(
            config.game,
            prepared(players, config.game),
            config.opponents,
            stream=Stream(config.seed, "games", number),
            pairs=config.pairs,
            threads=config.threads,
        )


CORNERS = count(board.own & squares("corners")) - count(board.opponent & squares("corners"))
EDGES = count(board.own & squares("edges")) - count(board.opponent & squares("edges"))
FRONTIER = count(board.own & board.empty.neighbours())
DISCS = count(board.own) - count(board.opponent)
TERMS = (CORNERS, EDGES, FRONTIER, DISCS)


def weighted(weights: list[float]) -> AfterState:
    """Return the player of these weights."""
    first, *others = (weight * term for weight, term in zip(weights, TERMS, strict=True))
    return AfterState(evaluator=ExpressionEvaluator(expression=sum(others, first)))


def normal(stream: Stream, shape: tuple[int, int]) -> np.ndarray:
    """Return normal draws (Box and Muller)."""
    draws = np.array([stream.random() for _ in range(2 * math.prod(shape))]).reshape(2, *shape)
    return np.sqrt(-2 * np.log1p(-draws[0])) * np.cos(2 * math.pi * draws[1])


class CmaEs(_Learner):
    """CMA-ES of the weights of four features. Source: Hansen, "The CMA evolution strategy"."""

    def first(self, config: Settings, /) -> State:
        dim = len(TERMS)
        data = {
            "mean": [0.0] * dim,
            "sigma": 1.0,
            "covariance": np.eye(dim).tolist(),
            "path": [0.0] * dim,
            "path_sigma": [0.0] * dim,
        }
        return self._step(config, 0, data)

    def after(self, config: Settings, step: State, /) -> State:
        return self._step(config, step.number + 1, step.data)

    def champion(self, data: Mapping[str, Any]) -> AfterState:
        return weighted(list(data["mean"]))

    def _step(self, config: Settings, number: int, data: Mapping[str, Any]) -> State:
        began = perf_counter()
        dim, parents = len(TERMS), config.size // 2
        mean, covariance = np.array(data["mean"]), np.array(data["covariance"])
        path, path_sigma, sigma = (
            np.array(data["path"]),
            np.array(data["path_sigma"]),
            data["sigma"],
        )
        # Step 1. Draw and judge.
        values, vectors = np.linalg.eigh(covariance)
        scale = np.sqrt(np.maximum(values, 1e-12))
        draws = normal(Stream(config.seed, "draws", number), (config.size, dim))
        steps = (draws * scale) @ vectors.T
        vectors_tried = mean + sigma * steps
        scores = self.scores(config, [weighted(one.tolist()) for one in vectors_tried], number)
        # Step 2. Recombine the best.
        raw = math.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
        weights = raw / raw.sum()
        best = np.argsort(-scores, kind="stable")[:parents]
        mu = 1 / (weights**2).sum()
        shift = weights @ steps[best]
        # Step 3. Adapt.
        c_sigma, c_path = (mu + 2) / (dim + mu + 5), 4 / (dim + 4)
        c_one, c_mu = 2 / ((dim + 1.3) ** 2 + mu), min(0.5, (mu - 1.75) / ((dim + 2) ** 2 + mu))
        whitened = vectors @ ((vectors.T @ shift) / scale)
        path_sigma = (1 - c_sigma) * path_sigma + math.sqrt(c_sigma * (2 - c_sigma) * mu) * whitened
        path = (1 - c_path) * path + math.sqrt(c_path * (2 - c_path) * mu) * shift
        outer = (steps[best].T * weights) @ steps[best]
        covariance = (1 - c_one - c_mu) * covariance + c_one * np.outer(path, path) + c_mu * outer
        length = math.sqrt(dim) * (1 - 1 / (4 * dim) + 1 / (21 * dim**2))
        sigma *= math.exp(c_sigma / 1.2 * (float(np.linalg.norm(path_sigma)) / length - 1))
        found = {
            "mean": (mean + data["sigma"] * shift).tolist(),
            "sigma": sigma,
            "covariance": ((covariance + covariance.T) / 2).tolist(),
            "path": path.tolist(),
            "path_sigma": path_sigma.tolist(),
        }
        games = config.size * len(config.opponents) * 2 * config.pairs
        statistics = {"best": float(scores.max()), "mean": float(scores.mean()), "games": games}
        return State(number, found, statistics, (self.champion(found),), perf_counter() - began)


PRIMITIVES = PRIMITIVE_SETS["liao+mobility"]
LIMITS = Limits(max_depth=8, max_nodes=40)


class MapElites(_Learner):
    """MAP-Elites over trees: the best of each cell of size and length of games.

    Source: Mouret & Clune, "Illuminating search spaces by mapping elites" (2015).
    """

    def first(self, config: Settings, /) -> State:
        trees = ramped_half_and_half(PRIMITIVES, config.size, Stream(config.seed, "first"))
        return self._step(config, 0, {}, trees)

    def after(self, config: Settings, step: State, /) -> State:
        number = step.number + 1
        elites = [parse_tree(elite["tree"], PRIMITIVES) for elite in step.data.values()]
        trees = []
        for place in range(config.size):
            stream = Stream(config.seed, "child", number, place)
            first, second = (elites[stream.below(len(elites))] for _ in range(2))
            child, _ = subtree_crossover(first, second, LIMITS, stream)
            trees.append(subtree_mutation(child, LIMITS, stream))
        return self._step(config, number, step.data, trees)

    def champion(self, data: Mapping[str, Any]) -> AfterState:
        best = max(data.values(), key=lambda elite: elite["score"])
        return AfterState(evaluator=TreeEvaluator(tree=parse_tree(best["tree"], PRIMITIVES)))

    def _step(
        self, config: Settings, number: int, data: Mapping[str, Any], trees: list[Any]
    ) -> State:
        began = perf_counter()
        games = self.played(config, trees, number)
        elites = dict(data)
        for tree, score, plies in zip(trees, games.scores, games.plies, strict=True):
            cell = f"{len(tree) // 5} {int(plies.mean())}"
            if cell not in elites or elites[cell]["score"] < score:
                elites[cell] = {"tree": str(tree), "score": float(score)}
        scores = [elite["score"] for elite in elites.values()]
        statistics = {
            "cells": len(elites),
            "best": max(scores),
            "mean": float(np.mean(scores)),
            "games": games.points.size,
        }
        return State(number, elites, statistics, (self.champion(elites),), perf_counter() - began)
