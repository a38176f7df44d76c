"""The verdict of an experiment in words, computed from its differences.

Which setup is better, and by how much, come from one set of numbers, the differences between runs
of both: A counts those above 0, the shift is their median.
"""

from collections.abc import Sequence

from evoply.experiments.looks import Look
from evoply.experiments.rank_tests import SIGNIFICANCE, least_p
from evoply.experiments.setup_statistics import GridEffect, SetupDifference, fewest_seeds

_MOST_SAID = 5


def verdict_on(pairs: Sequence[SetupDifference], effects: Sequence[GridEffect], look: Look) -> str:
    """Return which pairs differ or are the same for certain, or how many seeds would tell."""
    seeds = min(look.seeds)
    if look.is_exploratory:
        sentences = [f"Exploratory ({look}): nothing is certain."]
        seen = [pair for pair in pairs if pair.p < SIGNIFICANCE]
        if seen:
            sentences.append(
                f"As the only look, {len(seen):,} of {len(pairs):,} pairs would differ."
            )
        return " ".join(sentences)
    needed = fewest_seeds(len(pairs))
    if not _can_show(look, len(pairs)):
        if seeds >= needed:
            return (
                f"This {look} cannot show any difference, however large, with {seeds} seeds a "
                "setup: go on to the next."
            )
        return _too_few(seeds, len(pairs))
    return " ".join([*_on_pairs(pairs, needed), *_on_sameness(pairs), *_on_effects(effects)])


def hopeless(planned: Sequence[int], setups: int) -> str:
    """Return why none of the *planned* looks at *setups* can show any difference; "" if one can.

    >>> hopeless((3, 6), 4).partition(":")[0]
    '6 seeds a setup cannot show any difference, however large'
    >>> hopeless((3, 8), 4), hopeless((3, 6), 1)
    ('', '')
    """
    pairs = setups * (setups - 1) // 2
    looks = [Look((seeds,) * setups, tuple(planned)) for seeds in planned]
    if not pairs or any(_can_show(look, pairs) for look in looks):
        return ""
    if planned[-1] < fewest_seeds(pairs):
        return _too_few(planned[-1], pairs)
    return (
        f"{len(planned)} looks at up to {planned[-1]} seeds cannot show any difference, however "
        "large: plan more seeds, or fewer looks."
    )


def _can_show(look: Look, pairs: int) -> bool:
    """Return whether a difference between two setups could be certain at *look*."""
    seeds = min(look.seeds)
    return look.overall_p(least_p(seeds, seeds)) * pairs < SIGNIFICANCE


def _too_few(seeds: int, pairs: int) -> str:
    return (
        f"{seeds} seed{'s' * (seeds != 1)} a setup cannot show any difference, however large: "
        f"{fewest_seeds(pairs)} are the fewest that can, for {pairs} pair{'s' * (pairs != 1)}."
    )


def _on_pairs(pairs: Sequence[SetupDifference], needed: int) -> list[str]:
    certain = sorted((pair for pair in pairs if pair.is_certain), key=lambda pair: pair.p)
    sentences = [_better(pair) for pair in certain[:_MOST_SAID]]
    if len(certain) > _MOST_SAID:
        sentences.append(f"{len(certain) - _MOST_SAID} more pairs differ.")
    if not certain:
        sentences.append("No two setups differ for certain.")
        wanted = [pair.seeds_wanted for pair in pairs if pair.seeds_wanted and not pair.is_same]
        if wanted:
            sentences.append(
                f"If the largest difference seen is real, {max(needed, min(wanted)):,} seeds a "
                "setup would show it in 8 of 10 experiments."
            )
    return sentences


def _better(pair: SetupDifference) -> str:
    """Return which is better and by how much: both from the differences between their runs."""
    chance = max(pair.effect, 1 - pair.effect)
    if pair.shift == 0:
        return (
            f"{pair.better} is more often better than {pair.worse} than worse (A = {chance:.2f}, "
            f"p = {pair.p:.2g}), but the typical difference is 0."
        )
    amount = f"by {abs(pair.shift):.3f}"
    if pair.interval is not None:
        low, high = sorted(abs(end) for end in pair.interval)
        amount += f", {low:.3f} to {high:.3f}"
    return (
        f"{pair.better} is better than {pair.worse} ({amount}; A = {chance:.2f}, p = {pair.p:.2g})."
    )


def _on_sameness(pairs: Sequence[SetupDifference]) -> list[str]:
    asked = [pair for pair in pairs if pair.same is not None]
    if not asked or asked[0].same is None:
        return []
    margin = f"within {asked[0].same.margin:g} points per game"
    same = [pair for pair in asked if pair.is_same]
    sentences = [
        f"{pair.first} and {pair.second} are the same {margin} (p = {pair.same.p:.2g})."
        for pair in same[:_MOST_SAID]
        if pair.same is not None
    ]
    if len(same) > _MOST_SAID:
        sentences.append(f"{len(same) - _MOST_SAID} more pairs are the same {margin}.")
    return sentences or [f"No two setups are the same {margin} for certain."]


def _on_effects(effects: Sequence[GridEffect]) -> list[str]:
    names = [effect.name for effect in effects if effect.is_certain]
    return [f"Of the keys, {', '.join(names)} matter for certain."] if names else []
