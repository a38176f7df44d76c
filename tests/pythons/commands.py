"""Short commands: one of every verb and of every kind of run, by what they need of each other.

The lines of a story are run one after the other in a folder of its own. A line is what stands
after `evoply`; one that begins with `talk` is a part of `conversations.py`, and names its verbs.
"""

from collections.abc import Mapping

STORIES: Mapping[str, tuple[str, ...]] = {
    # Those that take longest first: stories are done side by side.
    "league": (
        "league --methods liao,firebrand,patterns --budget 0.05 --seeds 1 --games 2 "
        "--move-time 0.001 --depth 1",
        "league league-othello",
        "readability --scale smoke --ways trees --terms 3 --seconds 0.1 --games 4",
    ),
    "evolution": (
        "evolve quick --population-size 10 --generations 2 --name tree",
        "resume tree --generations 3 --no-tests",
        "show champion@tree --svg tree.svg",
        "why champion@tree",
        "replay tree --generation 1 --game 0",
        "report tree --charts charts",
        "runs tree --csv tables --parquet tables",
        "runs",
        "talk data-frame tree",
        "distil champion@tree --terms 3 --games 20 --output formula.json",
        "prune formula.json --games 3000 --output short.json",
        "export champion@tree --to c --output player.c",
        "tune formula.json --generations 2 --pairs 2 --against random --name tuned",
        "resume tuned --generations 3 --no-tests",
    ),
    "cluster": (
        "evolve quick --population-size 10 --generations 2 --no-tests --cluster local:1",
        "tournament swh random greedy --games 4 --cluster local:2 --html tournament.html",
    ),
    "weights": (
        "learn firebrand-8 --games 100 --name weights",
        "runs weights --csv tables --parquet tables",
        "edit weights pieces --weight 0.4 --time-weight 0.4",
        "runs weights --csv again --parquet again",
        "resume weights --games 150 --no-tests",
        "report weights",
    ),
    "patterns": (
        "learn patterns-8 --games 200 --set games_per_step=100 --name tables --no-tests",
        "resume tables --games 300 --no-tests",
        "pack tables strong.json --positions 2 --depth 2",
        "runs tables --csv tables --parquet tables",
        "report tables",
    ),
    "tuples": (
        "learn tuples --set generations=2 --set population_size=4 --set lessons.games=20 "
        "--set pairs=1 --name squares --no-tests",
        "resume squares --generations 3 --no-tests",
        "runs squares --csv tables --parquet tables",
        "report squares",
    ),
    "islands": (
        "evolve islands --population-size 10 --generations 2 --no-tests --name islands",
        "resume islands --generations 6 --no-tests",
        "runs islands --csv tables --parquet tables",
        "report islands",
    ),
    "map": (
        "evolve map-elites --generations 2 --population-size 20 --no-tests --name map",
        "resume map --generations 3 --no-tests",
        "runs map --csv tables --parquet tables",
        "report map",
    ),
    "comparison": (
        "compare quick othello-6 --seeds 2 --budget-games 100 --games 4 --measure score:mobility",
        "talk vary sizes.toml",
        "experiment sizes.toml --csv numbers --charts charts",
    ),
    "course": (
        "course new class --solutions solutions",
        "check solutions/6-search",
        "grade solutions/8-bot --html results --games 2 --against random",
    ),
    "study": ("reproduce liao --table 1 --html study.html --charts charts",),
    "page": ("talk web",),
    "network": ("talk serve join",),
    "games": (
        "match swh random --games 10 --save-games games.jsonl",
        "analyse greedy --position f5d6c3",
        "analyse swh --games games.jsonl --exact none --html analysis.html",
        "watch games.jsonl --game 0",
        "convert games.jsonl games.ggf",
        "match material random --game checkers --games 4",
        "tournament swh greedy --mode elimination --games 4",
        "talk play",
        "talk engine",
        "measure by-hand --games 20",
    ),
    "rules": (
        "match greedy random --game breakthrough --games 4",
        "game breakthrough --perft 3",
        "perft othello 4",
        "solve 'XXXX XOXO XOO- O--- X'",
        "presets",
        "config",
        "completion bash",
        "doctor",
        "--version",
    ),
}
