"""A connection and its limits on long lines, waiting bytes and idle lines.

It knows bytes and lines, but no players and no games.
"""

import asyncio

from evoply.server.lines import LONGEST_REQUEST, Line, LineError, plain, read_request

MOST_WAITING = 256 * 1024
"""The most bytes that wait for a client that does not read."""
IDLE_WORDS = 30
"""Lines of a client that nobody asked for, such as mistakes, in one go."""
IDLE_WORDS_A_SECOND = 1.0
_FAREWELL = 2.0
"""Seconds for sending the last lines."""


class FloodError(Exception):
    """A client sends too much."""


class Wire:
    """One client's connection, from the side of the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        name = writer.get_extra_info("peername")
        self.address = str(name[0]) if name else ""
        """The address of the client, without its port."""
        self._is_ending = False
        self._idle = float(IDLE_WORDS)
        self._since = asyncio.get_running_loop().time()

    @property
    def is_open(self) -> bool:
        """Whether anything can still be said."""
        return not self._writer.is_closing()

    async def line(self) -> Line | None:
        """Return the next line, None at the end; unreadable lines are answered and counted.

        Raises `FloodError` after a line that is too long, because the start of the next one is not
        known, and for too many lines that cannot be read.
        """
        while True:
            try:
                return read_request(await self._reader.readuntil(b"\n"))
            except (asyncio.IncompleteReadError, OSError):
                return None
            except asyncio.LimitOverrunError:
                raise FloodError(f"a line has at most {LONGEST_REQUEST} bytes") from None
            except LineError as error:
                self.error("line", str(error))
                self.count_idle()

    def count_idle(self) -> None:
        """Count a line that nobody asked for; `FloodError` for one too many."""
        now = asyncio.get_running_loop().time()
        self._idle = min(IDLE_WORDS, self._idle + (now - self._since) * IDLE_WORDS_A_SECOND)
        self._since = now
        self._idle -= 1
        if self._idle < 0:
            raise FloodError("too many lines that nobody asked for - say less, and come back")

    def say(self, line: str) -> None:
        """Send a line, without waiting; a client that does not read is cut off."""
        if not self.is_open or self._is_ending:
            return
        self._writer.write(line.encode("ascii") + b"\n")
        if self._writer.transport.get_write_buffer_size() > MOST_WAITING:
            self.cut()

    def error(self, code: str, text: str) -> None:
        """Say what was wrong and how to mend it."""
        self.say(f"ERROR {code} {plain(text)}")

    def cut(self) -> None:
        """End the connection at once; what waits is lost."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """End the connection when the last words have left, or a moment later.

        What still comes is read and forgotten: the system would take back words that have not
        arrived yet if anything were left unread.
        """
        if self._is_ending:
            return
        self._is_ending = True
        try:
            async with asyncio.timeout(_FAREWELL):
                if self.is_open and self._writer.can_write_eof():
                    self._writer.write_eof()
                    while await self._reader.read(MOST_WAITING):
                        pass
                self._writer.close()
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self.cut()
        except asyncio.CancelledError:
            self.cut()
            raise
