"""Tournaments whose server is killed and whose connections break, with a bot and an engine."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dask_processes import free_port
from disorder import Disorder, ended_within
from server_commands import Rememberer

from evoply.games.formats import saved
from waiting import until

BOT = """class Last:
    def choose(self, game, stream, clock):
        return game.position.legal_moves[len(game.position.legal_moves) - 1]
"""
_GAMES = 2
_MOST_KILLS = 3
_PATIENCE = 300.0


class BreakingWire:
    """A port that passes all on to another one, until its connections are broken."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def break_all(self) -> int:
        """Break what is connected now; return how many connections that were."""
        broken, self._open = self._open, []
        for connection in broken:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        return len(broken) // 2

    def close(self) -> None:
        """End it."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._threads[0].join()
        self.break_all()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target), 5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            self._open += [near, far]
            both = [threading.Thread(target=_pass_on, args=ends) for ends in _ways(near, far)]
            for thread in both:
                thread.start()
            closing = threading.Thread(target=_close_after, args=(both, (near, far)))
            closing.start()
            self._threads += [*both, closing]


def _ways(near: socket.socket, far: socket.socket) -> list[tuple[socket.socket, socket.socket]]:
    return [(near, far), (far, near)]


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _close_after(threads: list[threading.Thread], ends: tuple[socket.socket, ...]) -> None:
    for thread in threads:
        thread.join()
    for end in ends:
        end.close()


class DisturbedTournaments:
    """One tournament after another: what was acknowledged is in the games that are saved."""

    name = "tournament"

    def __init__(self, disorder: Disorder) -> None:
        self._disorder = disorder
        self._draws = disorder.draws(self.name)
        (disorder.home / "last_move.py").write_text(BOT, encoding="utf-8")
        self._engine = (
            f"engine:gtp:{sys.executable} -m evoply engine --protocol gtp --player mobility:depth=1"
        )

    def prepare(self) -> None:
        """Nothing is compared with an undisturbed tournament: clocks make each another one."""

    def disturb(self) -> None:
        """Hold tournaments until the time is over."""
        number = 0
        while self._disorder.goes_on:
            number += 1
            self._hold(f"tournament-{number}")

    def settle(self) -> None:
        """Do nothing more: each tournament is looked at when it ends."""

    def _hold(self, name: str) -> None:
        disorder, draws = self._disorder, self._draws
        port, file = free_port(), f"{name}.db"
        server, log = disorder.start(
            "serve", "--port", str(port), "--file", file, "--game", "othello-6", "--clock", "900",
            "--players", "4", "--games", str(_GAMES),
        )  # fmt: skip
        until(lambda: _is_heard(port), "the server of a tournament")
        wire = BreakingWire(port)
        try:
            with self._joined(wire.port, name) as joined:
                player = Rememberer(port, "Rememberer")
                # Who cannot play is refused, and the others would wait for it for ever.
                until(
                    lambda: all("joined as" in said.read_text() for _, said in joined), "a player"
                )
                for _ in range(_MOST_KILLS):
                    player.play(1 + draws.below(12))
                    if draws.below(2):
                        disorder.count("connections broken", wire.break_all())
                        player.play(1 + draws.below(4))
                    if player.is_over:
                        break
                    disorder.kill(server, "servers of tournaments")
                    disorder.count("resumes of tournaments")
                    server, log = disorder.start("serve", "--resume", file)
                    until(lambda: _is_heard(port), "the server of a tournament")
                if not player.is_over:
                    player.play(10**6)
                for process, said in joined:
                    is_over = ended_within(process, _PATIENCE)
                    text = said.read_text(encoding="utf-8", errors="replace")
                    disorder.promise(
                        is_over and process.returncode == 0,
                        f"{name}: a player ended with {process.returncode}: {text[-500:]}",
                    )
            is_over = ended_within(server, _PATIENCE)
            disorder.promise(
                is_over and server.returncode == 0,
                f"{name}: the server ended with {server.returncode}: {log.read_text()[-500:]}",
            )
        except (AssertionError, OSError, ValueError) as error:
            disorder.promise(False, f"{name}: {type(error).__name__}: {error}")
            return
        finally:
            wire.close()
            server.kill()
            server.wait()
        self._compare(name, file, player)

    @contextmanager
    def _joined(self, port: int, name: str) -> Iterator[list[tuple[subprocess.Popen[bytes], Path]]]:
        """Give the players that join through a wire that breaks; afterwards they have ended."""
        joined = [
            self._disorder.start(
                "join", f"127.0.0.1:{port}", "--player", player, "--name", word,
                "--patience", "120",
            )
            for player, word in (
                ("greedy", "Greedy"), ("last_move.py", "Bot"), (self._engine, "Engine"),
            )
        ]  # fmt: skip
        try:
            yield joined
        finally:
            for process, _ in joined:
                process.kill()
                process.wait()

    def _compare(self, name: str, file: str, player: Rememberer) -> None:
        """Compare the games in the server's file with what the player was told."""
        disorder = self._disorder
        target = disorder.home / f"{name}.jsonl"
        again, log = disorder.start(
            "serve", "--resume", file, "--port", "0", "--quiet", "--save-games", str(target)
        )
        if again.wait(_PATIENCE):
            disorder.promise(False, f"{name}: {log.read_text()[-500:]}")
            return
        with target.open(encoding="utf-8") as lines:
            games = list(saved.read(lines))
        planned = _GAMES * 6
        disorder.count("tournaments")
        disorder.count("games of tournaments", len(games))
        disorder.promise(len(games) == planned, f"{name}: {len(games)} games of {planned}")
        for number, moves in player.moves.items():
            disorder.count("acknowledged moves of tournaments", len(moves))
            there = list(games[number].record.move_texts()) if number < len(games) else []
            disorder.promise(
                there[: len(moves)] == moves, f"{name}, game {number}: {moves} became {there}"
            )


def _is_heard(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
