"""The other end: a connection to a server, its lines, and the password."""

from __future__ import annotations

import asyncio
import contextlib
import os

from evoply.games import game_spoken
from evoply.protocols import TimeControl
from evoply.server.addresses import shown_address
from evoply.server.lines import LONGEST_NOTICE, VERSION, Line, LineError, proof_of, read_notice

SILENCE_SECONDS = 40.0
"""The silence that means a lost connection: a server sends a line every ten seconds."""
_OPENING_SECONDS = 20.0


class CallError(ValueError):
    """A server refuses, or sends a line that cannot be read."""


class LostError(OSError):
    """The connection was lost; another one may succeed."""


class Connection:
    """An open connection to a server that has said HELLO."""

    def __init__(
        self, address: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Line
    ) -> None:
        self._address = address
        self._reader = reader
        self._writer = writer
        try:
            self.game = game_spoken(hello["name"])
        except ValueError as error:
            raise CallError(f"{address}: {error}") from None
        """The name of the game that is played."""
        self.control = TimeControl.from_text(hello["clock"])
        self._challenge = hello.fields.get("challenge")

    @classmethod
    async def open(cls, host: str, port: int) -> Connection:
        """Return a connection; `LostError` where there is no server, `CallError` for another."""
        address = shown_address(host, port)
        try:
            async with asyncio.timeout(_OPENING_SECONDS):
                reader, writer = await asyncio.open_connection(host, port, limit=LONGEST_NOTICE)
        except TimeoutError:
            raise LostError(None, "nobody answers", address) from None
        except OSError as error:
            number = error.errno or 0
            reason = os.strerror(number) if number > 0 else error.strerror
            raise LostError(number, reason, address) from None
        try:
            hello = await _line(reader, address)
            if hello.word != "HELLO":
                raise CallError(f"{address}: this is not a server of evoply: it says {hello.word}")
            if int(hello["version"]) != VERSION:
                raise CallError(
                    f"{address}: the server speaks version {hello['version']} of the protocol, "
                    f"and this evoply {VERSION}: take the evoply of the server"
                )
            return cls(address, reader, writer, hello)
        except BaseException:
            await _close(writer)
            raise

    def prove(self, password: str | None) -> None:
        """Prove the password, if the server has one; `CallError` if it is missing."""
        if self._challenge is None:
            return
        if password is None:
            raise CallError(f"{self._address}: a password is needed - give it with --password")
        self.say(f"PROOF {proof_of(password, self._challenge)}")

    async def line(self) -> Line:
        """Return the next line of the server; `LostError` when it is gone."""
        return await _line(self._reader, self._address)

    def say(self, line: str) -> None:
        """Send a line; nothing happens if the connection is lost."""
        if not self._writer.is_closing():
            self._writer.write(line.encode("ascii") + b"\n")

    def cut(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """End the connection."""
        await _close(self._writer)


async def game_at(host: str, port: int) -> str:
    """Return the name of the game that a server plays; errors as `Connection.open`."""
    connection = await Connection.open(host, port)
    await connection.close()
    return connection.game


async def _line(reader: asyncio.StreamReader, address: str) -> Line:
    try:
        async with asyncio.timeout(SILENCE_SECONDS):
            return read_notice(await reader.readuntil(b"\n"))
    except (asyncio.IncompleteReadError, OSError):  # a timeout is an OSError, too
        raise LostError(None, "the connection was lost", address) from None
    except (asyncio.LimitOverrunError, LineError) as error:
        raise CallError(f"{address}: what the server says cannot be read: {error}") from None


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
