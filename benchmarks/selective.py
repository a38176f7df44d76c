"""What a selective search costs: how often it errs, how much it loses, how many nodes it saves.

A move errs if the search that leaves nothing out, as deep, finds it worse than its own. Positions
are drawn from games of the tables of `strong` against themselves, a tenth of the moves at random.
`python benchmarks/selective.py --positions 200` makes the table in docs/strong.md.
"""

import argparse

import evoply as ep
from evoply._native import Stream
from evoply.protocols import Position

SEARCHES = ((6, 1.5), (8, 1.5))
PLIES = (8, 45)


def positions(count: int, seed: int) -> list[Position]:
    """Return a position of each of *count* games, `PLIES[0]` to `PLIES[1]` plies on."""
    found: list[Position] = []
    player = ep.parse_player("strong:depth=1,epsilon=0.1").seat("othello")
    for number in range(count):
        stream = Stream(seed, "positions", number)
        length = PLIES[0] + stream.below(PLIES[1] - PLIES[0] + 1)
        game = ep.othello.Game()
        while len(game) < length and game.outcome() is None:
            moves = game.position.legal_moves
            if len(game) < PLIES[0]:
                game = game.play(moves[stream.below(len(moves))])
            else:
                game = game.play(player.choose(game, stream.child(len(game)), ep.Clock()).move)
        if game.outcome() is None and len(game.position.legal_moves) > 1:
            found.append(game.position)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=200, help="about how many")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    boards = positions(options.positions, options.seed)
    print(f"{len(boards)} positions, seed {options.seed}")
    for depth, sigmas in SEARCHES:
        erred, lost, nodes, all_nodes = 0, 0.0, 0, 0
        for board in boards:
            exact = ep.analyse(f"strong:depth={depth}", board, every_move=True)
            left_out = ep.analyse(f"strong:depth={depth},selective={sigmas}", board)
            values = dict(exact.moves)
            loss = max(values.values()) - values[left_out.move]
            erred += loss > 0
            lost += loss
            nodes += left_out.nodes
            all_nodes += ep.analyse(f"strong:depth={depth}", board).nodes
        count = len(boards)
        print(
            f"depth={depth},selective={sigmas}: {erred / count:.1%} of the moves err, mean loss "
            f"{lost / count:.3f}, {nodes / all_nodes:.0%} of the nodes"
        )


if __name__ == "__main__":
    main()
