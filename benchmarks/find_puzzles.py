"""Finds the puzzles that come with evoply, in games of evoply with itself, and writes their file.

The same seed finds the same puzzles on every machine. docs/puzzles.md says what a puzzle is.

    python benchmarks/find_puzzles.py othello --seed 1
    python benchmarks/find_puzzles.py checkers --seed 1
"""

import argparse
import json
import sys
import time
from pathlib import Path

from puzzle_search import PuzzleSearch

import evoply.reports
from evoply.reports.puzzle_book import Puzzle

FOLDER = Path(evoply.reports.__file__).parent
LEFT_OUT = {"game", "number"}
"""What the file and its order say."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", help="othello or checkers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the file goes")
    asked = parser.parse_args()
    command = f"python benchmarks/find_puzzles.py {asked.game} --seed {asked.seed}"
    if asked.count != 20:
        command += f" --count {asked.count}"
    print(command)
    begun = time.process_time()

    def told(puzzle: Puzzle) -> None:
        took = time.process_time() - begun
        print(f"{took:7.1f} s  {puzzle.number:2}  {puzzle.position}  {puzzle.best}", flush=True)
        print(f"           {puzzle.source}: {puzzle.explanation}", flush=True)

    search = PuzzleSearch(asked.game, asked.seed)
    print(f"level {search.level} wins {search.share:.1%} of its games against greedy", flush=True)
    found = search.puzzles(asked.count, told)
    data = {
        "command": command,
        "level": search.level,
        "wins_against_greedy": search.share,
        "positions": search.counts,
        "puzzles": [_fields(puzzle) for puzzle in found],
    }
    file = asked.folder / f"puzzles-{asked.game}.json"
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{search.counts}\n{file}", file=sys.stderr)


def _fields(puzzle: Puzzle) -> dict[str, object]:
    data = puzzle.to_dict()
    return {name: data[name] for name in data if name not in {*LEFT_OUT, *puzzle.also}}


if __name__ == "__main__":
    main()
