"""The table of commands: each verb with its line of `--help` and its examples; their groups.

A command is a function of its name, whose module (`HOMES`) is imported when the command is run.
"""

from collections.abc import Callable
from importlib import import_module

GROUPS: dict[str, str] = {
    "Play": "play web analyse why watch engine",
    "Evolve": "evolve resume learn presets config tune edit distil prune pack",
    "Understand": "show runs report replay measure readability export",
    "Compare": "match tournament compare experiment league reproduce",
    "Class": "course check grade serve join",
    "Tools": "doctor convert game solve perft completion",
}
"""Every command stands in one group of the help, which has them in this order: most used first."""

COMMANDS: dict[str, str] = {
    "evolve": """\
Evolve a player.
  evoply presets                       # ready-made configs
  evoply evolve demo
  evoply evolve quick --seed 7 --name first
  evoply evolve config.toml --population-size 500 --generations 40
  evoply evolve demo --set fitness.opening_plies=4 --set selection.size=3
  evoply evolve demo --set fitness.measure=python:mine.py:Novelty
  evoply evolve benbassat-lose-checkers --population-size 20 --generations 5
""",
    "learn": """\
Learn the weights, or the pattern tables, of a player by play.
  evoply learn firebrand
  evoply learn firebrand-8 --games 2000 --name first
  evoply learn firebrand-8 --features champion@first --terms 25
  evoply learn config.toml --set rates.weights=0.05 --set rule=td-leaf
  evoply learn mine.toml               # where learner = "python:FILE.py:NAME"
""",
    "edit": """\
Change a weight of a learning run by hand, as a step of its own.
  evoply edit first pieces --weight 0.4 --time-weight 0.4
  evoply resume first --games 10000
""",
    "tune": """\
Tune the numbers of a player by CMA-ES, on games against training opponents.
  evoply tune champion@first
  evoply tune champion@first --against champion@patterns --generations 100 --name tuned
  evoply resume tuned --generations 200
""",
    "distil": """\
Distil a player into a formula of a few terms that a person can play by.
  evoply distil champion@patterns --terms 10 --output formula.json
  evoply distil champion@patterns --terms 6 --stages 3
  evoply match formula.json swh
""",
    "prune": """\
Leave out what a player can do without, and round its numbers.
  evoply prune champion@first
  evoply prune champion@first --output short.json --within 0.02
  evoply prune player.json --against mobility --against strong:depth=1 --seed 7
""",
    "pack": """\
Write the pattern tables of a run as the file of the player strong.
  evoply learn strong --name tables
  evoply pack tables strong.json
""",
    "compare": """\
Compare two runs as they are, or configs over many seeds.
  evoply compare first second          # what both have; nothing is played
  evoply compare first second --seeds 10   # their configs, run again
  evoply compare quick othello-6 --seeds 5 --budget-games 50000
  evoply compare a.toml b.toml --measure score:swh,material:depth=3 --name sizes
  evoply compare runs/mine quick       # with your own fitness, if it lies in a file
""",
    "experiment": """\
Vary keys of a config over many seeds, as a file of a few lines says.
  evoply experiment sizes.toml
  evoply experiment sizes.toml --seeds 20 --csv numbers
""",
    "readability": """\
Show what readability costs: the strength of players against their number of terms.
  evoply readability --scale smoke     # seconds
  evoply readability --seconds 30 --seeds 3 --charts pictures
  evoply readability --game connect-four --ways trees,map --terms 3,8,20
""",
    "league": """\
Make the best player of every method afresh, let all play all, and write a page.
  evoply league --budget small --seeds 2
  evoply league --methods liao,firebrand,patterns --budget 20 --seeds 3
  evoply league --with mine.toml --with player.json --name ours
  evoply league --game lose-checkers --json
  evoply league league-othello         # shows a league that was made
""",
    "resume": """\
Go on with a run, exactly as if it had never stopped.
  evoply resume                        # the newest run
  evoply resume first
  evoply resume first --generations 200
  evoply resume first --time-limit 600
  evoply resume sent --code-in-runs    # imports Python that lies in its folder
""",
    "play": """\
Play against a player.
  evoply play                          # against the newest champion, or greedy
  evoply play --against swh:depth=4 --color white
  evoply play --against champion@first --game othello-6
  evoply play --position f5d6c3d3c4
  evoply play --game lose-checkers --against random-leaf:depth=3
  evoply play --game checkers --position W:W18,K24:B1,12 --color white
  echo "f5 quit" | tr ' ' '\\n' | evoply play --against greedy --seed 1
""",
    "web": """\
Play, watch and understand in a browser.
  evoply web                           # opens http://127.0.0.1:8000
  evoply web --host 0.0.0.0 --password "four grey geese"   # phones in your network, too
  evoply web --class bots --host 0.0.0.0 --password "four grey geese"
  evoply web --port 0 --no-browser
  evoply web --runs ~/experiments/runs --json
""",
    "match": """\
Play a match between two players.
  evoply match greedy random --games 1000 --seed 1
  evoply match champion@first swh:depth=2 --json
  evoply match '( + white white_corners )' greedy --openings none
  evoply match material:depth=3 mobility --game othello-6
  evoply match material-kings:depth=3 random --game checkers-10
  evoply match champion@first greedy --sprt 0 20
  evoply match mybot.py greedy --games 100 --move-limit 2
  evoply match swh:depth=4 'engine:gtp:/usr/games/gtp-rhino -b 0 -m 3'
  evoply match swh engine:rhino --engines engines.toml
  evoply match swh mobility --watch
  evoply match swh mobility --games 20 --save-games games.jsonl
""",
    "measure": """\
Measure readable players, each against the same opponents.
  evoply measure champion@first by-hand demo-1
  evoply measure champion@first --game connect-four --games 400 --json
  evoply measure formula.json --against 'engine:gtp:gtp-rhino -b 0 -m 2'
""",
    "watch": """\
Show saved games, move by move, or a tournament as it is played.
  evoply watch games.jsonl             # from evoply match --save-games
  evoply watch games.jsonl --game 7 --delay 1
  evoply watch localhost:7450          # a tournament of evoply serve, as it is played
""",
    "analyse": """\
Show what a player would play in a position, or what it thinks of the moves of games.
  evoply analyse swh:depth=4
  evoply analyse champion@first --position f5d6c3d3c4 --json
  evoply analyse material:depth=6 --game checkers --position W:W18,K24:B1,12
""",
    "why": """\
Say why a player chooses its move.
  evoply why greedy --position f5d6c4
  evoply why champion@first --position f5d6c3d3c4 --json
  evoply why material-kings:depth=6 --game checkers --position '11-15 23-19'
""",
    "tournament": """\
Play a tournament of two or more players and rate them.
  evoply tournament greedy swh mobility material:depth=2 --games 200
  evoply tournament greedy swh random --html standings.html
  evoply tournament --field students.toml --mode elimination --times 50
  evoply tournament swh greedy mobility random --mode elimination
  evoply tournament greedy mobility material-kings --game checkers
  evoply tournament students/ swh greedy --games 20    # all bots in a folder
  evoply tournament students/ --file class.db          # goes on after a stop
  evoply tournament students/ --resume class.db        # also with bots that were changed
""",
    "grade": """\
Try, play and rate the hand-ins of a class.
  evoply grade students/ --html students/results
  evoply grade students/ --html results --games 40 --move-limit 2 --title 'Class 7b'
  evoply grade students/ --against greedy --against swh:depth=2 --json
""",
    "serve": """\
Hold a tournament over the network.
  evoply serve                         # two players, on this machine
  evoply serve --game othello-10 --clock 150 --players 4 --games 20
  evoply serve --host 0.0.0.0 --clock 60+1   # asks for a password, which it shows
  evoply serve --resume tournament-1.db      # after a crash: all go on
""",
    "join": """\
Let a player take part in a tournament over the network.
  evoply join localhost:7450 --player swh:depth=4
  evoply join 10.0.0.7:7450 --player champion@first --name Ada --password ...
  evoply join localhost:7450 --player mybot.py
""",
    "course": """\
Write the folder of a course for a class: six weeks, eight exercises.
  evoply course new evolution-course
  evoply course new evolution-course --solutions for-the-teacher
""",
    "check": """\
Say what holds in an exercise of a course, and what to do about the rest.
  evoply check                         # the exercise in this folder
  evoply check evolution-course        # a table of all exercises
  evoply check evolution-course/1-feature --json
""",
    "engine": """\
Offer a player as an engine.
  evoply engine --protocol gtp --player swh:depth=6
  evoply engine --protocol nboard --player champion@first
  evoply match greedy 'engine:gtp:evoply engine --protocol gtp --player swh'
""",
    "reproduce": """\
Run a paper's table again and print it beside the paper's figures.
  evoply reproduce                     # the studies there are
  evoply reproduce liao --table 1
  evoply reproduce liao --table 2 --scale small --html table2.html
  evoply reproduce liao --table 1 --rules reconstruction --json
""",
    "show": """\
Show what a player does: formula, words, tree, pictures.
  evoply show champion@first
  evoply show '( - ( * 10 white_corners ) black )'
  evoply show champion --svg tree.svg
  evoply show swh --heat-map weights.svg
  evoply show material-kings:depth=2 --game checkers
""",
    "export": """\
Write a player as one file for other programs: in C, Python, JavaScript, LaTeX.
  evoply export champion@first --to c --output player.c
  cc -O2 -ffp-contract=off -o player player.c
  evoply export readable-12 --to python
  evoply export '( - ( * 10 white_corners ) black )' --to latex
  evoply export mobility --to javascript --game checkers
""",
    "game": """\
Check the rules of a game from data, play by them, or write their JSON.
  evoply game breakthrough --check
  evoply game mygame.py --check --perft 5
  evoply game mygame.py --play
  evoply game mygame.py --write mygame.json
  evoply match greedy random --game mygame.py --games 1000
""",
    "perft": """\
Count the leaves of the tree of legal moves.
  evoply perft othello 9
  evoply perft othello-6 8 --threads 1 --json
  evoply perft othello 5 --position f5d6c3d3c4
  evoply perft checkers-10 5
  evoply perft lose-checkers 4 --position W:W18,K24:B1,12
""",
    "solve": """\
Find the score of an Othello endgame under perfect play.
  evoply solve 'XXXX XOXO XOO- O--- X'
  evoply solve fforum-1-19.obf         # ours beside the file's scores
  evoply solve fforum-1-19.obf --mode outcome --json
  evoply solve 'XXXX XOXO XOO- O--- X' --every-move
""",
    "convert": """\
Write the games of a file in another format.
  evoply convert games.ggf games.txt
  evoply convert WTH_2004.wtb games.ggf   # with the names in .jou and .trn
  evoply convert games.jsonl positions.obf
  evoply convert tournament.pdn games.jsonl --json
  echo "1. F5 d6 2. C3" | evoply convert - - --to ggf
""",
    "runs": """\
List the runs, or show the generations of one.
  evoply runs
  evoply runs first
  evoply runs first --json             # every generation with its digest
  evoply runs first --csv tables       # for a spreadsheet
""",
    "report": """\
Write one HTML page about a run, which opens offline.
  evoply report                        # of the newest run
  evoply report first --output first.html
""",
    "replay": """\
Play a training game of a run again.
  evoply replay first --generation 12 --game 7
  evoply replay first --generation 0 --game 0 --json
""",
    "presets": """\
List the ready-made configs, or print one with its comments.
  evoply presets
  evoply presets demo
  evoply presets demo > config.toml
""",
    "doctor": """\
Say what is installed, built and missing, and what to do.
  evoply doctor
  evoply doctor --json
  evoply doctor > doctor.txt           # to send with a question
""",
    "completion": """\
Print what lets a shell complete commands and options at the Tab key.
  evoply completion bash > ~/.local/share/bash-completion/completions/evoply
  evoply completion zsh > ~/.zsh/completions/_evoply   # in a folder of $fpath
  evoply completion fish > ~/.config/fish/completions/evoply.fish
""",
    "config": """\
Say what can be written in a config: every key, what it is for, and its default.
  evoply config                        # the keys of the top level
  evoply config selection              # the keys of a table
  evoply config pairs                  # every key of this name
  evoply config --list                 # all keys
""",
}
"""Every command: the first line of its docstring, then its examples.

So the help of all commands imports none of them.
"""


HOMES = {
    "course": "course check",
    "engine": "engine pack",
    "evolving": "evolve learn tune edit resume",
    "experiments": "compare experiment reproduce",
    "explaining": "show why distil prune",
    "play": "play game",
    "runs": "runs report presets config",
    "serving": "serve join",
    "watching": "watch",
}
"""The commands of each module; others stand in the module of their name."""
WITHOUT = {
    "--runs": "check completion config convert course doctor game perft presets solve",
    "--quiet": "check completion config convert course doctor edit engine export game pack play "
    "presets replay report runs show watch web why",
}
"""The commands for which an option that all others have would say nothing."""
_HOME_OF = {name: home for home, names in HOMES.items() for name in names.split()}


def command_named(name: str) -> Callable[..., None]:
    """Return the function of one of `COMMANDS`."""
    module = import_module(f"evoply.cli.{_HOME_OF.get(name, name)}")
    command: Callable[..., None] = getattr(module, name)
    return command


def takes(name: str, option: str) -> bool:
    """Return whether the command called *name* has one of the options that nearly all share."""
    return name not in WITHOUT[option].split()
