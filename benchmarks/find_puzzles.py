"""Finds the puzzles that come with evoply, in games of evoply with itself, and writes their file.

The same seed finds the same puzzles on every machine. docs/puzzles.md says what a puzzle is.

    python benchmarks/find_puzzles.py othello --seed 1
    python benchmarks/find_puzzles.py connect-four --seed 1
    python benchmarks/find_puzzles.py othello --again
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from puzzle_search import PuzzleSearch, in_order, unit_of
from puzzle_themes import with_theme

import evoply.reports
from evoply.reports.puzzle_book import Puzzle, puzzle_file, puzzles

FOLDER = Path(evoply.reports.__file__).parent
LEFT_OUT = {"game", "number"}
"""What the file and its order say."""
COUNTS = {"discs": 60, "pieces": 60, "results": 20}
"""How many puzzles a game has."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", help="othello, checkers, breakthrough, connect-four or gomoku-9")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int)
    parser.add_argument("--again", action="store_true", help="only read causes and themes again")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the file goes")
    asked = parser.parse_args()
    if asked.again:
        data = puzzle_file(asked.game)
        _write(asked.folder, asked.game, data, [with_theme(one) for one in puzzles(asked.game)])
        return
    count = asked.count or COUNTS[unit_of(asked.game)]
    command = f"python benchmarks/find_puzzles.py {asked.game} --seed {asked.seed}"
    if asked.count:
        command += f" --count {asked.count}"
    print(command)
    begun = time.process_time()

    def told(puzzle: Puzzle) -> None:
        took = time.process_time() - begun
        print(f"{took:7.1f} s  {puzzle.number:2}  {puzzle.position}  {puzzle.best}", flush=True)
        stars = "*" * puzzle.stars
        print(f"   {stars:5} {puzzle.theme}, {puzzle.source}: {puzzle.explanation}", flush=True)

    search = PuzzleSearch(asked.game, asked.seed)
    print(f"level {search.level} wins {search.share:.1%} of its games against greedy", flush=True)
    found = search.puzzles(count, told)
    head = {
        "command": command,
        "level": search.level,
        "wins_against_greedy": search.share,
        "positions": search.counts,
    }
    _write(asked.folder, asked.game, head, found)
    print(search.counts, file=sys.stderr)


def _write(folder: Path, game: str, head: dict[str, Any], found: Iterable[Puzzle]) -> None:
    """Write the file of *game*, with a line for each puzzle."""
    lines = {name: value for name, value in head.items() if name != "puzzles"}
    text = json.dumps(lines, indent=1).removesuffix("\n}")
    rows = ",\n".join(json.dumps(_fields(puzzle), ensure_ascii=False) for puzzle in in_order(found))
    file = folder / f"puzzles-{game}.json"
    file.write_text(f'{text},\n "puzzles": [\n{rows}\n]}}\n', encoding="utf-8")
    print(file, file=sys.stderr)


def _fields(puzzle: Puzzle) -> dict[str, object]:
    lines = {"line": " ".join(puzzle.line), "second_line": " ".join(puzzle.second_line)}
    data = {**puzzle.to_dict(), **lines}
    return {name: data[name] for name in data if name not in {*LEFT_OUT, *puzzle.also}}


if __name__ == "__main__":
    main()
