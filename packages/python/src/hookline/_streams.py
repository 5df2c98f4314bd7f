"""A tool's result that comes bit by bit: read to its end, so that guards of results see it whole."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, List

from ._json import payload_text
from .errors import HookError

MAX_BYTES = 8 * 1024 * 1024
TIMEOUT_S = 30.0
#: What a piece counts at least, so that a stream of empty pieces ends, too.
_MIN_PIECE_BYTES = 16


def is_stream(value: Any) -> bool:
    """A generator, another iterator, or an asynchronous one. Not an open file, which belongs to whoever opened it."""
    return isinstance(value, (Iterator, AsyncIterator)) and not isinstance(value, io.IOBase)


class Collector:
    def __init__(self, max_bytes: int = MAX_BYTES, timeout_s: float = TIMEOUT_S) -> None:
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s
        self._pieces: List[Any] = []

    def read(self, source: Any) -> Any:
        """All text as one text, all bytes as bytes, anything else as a list. Raises `HL_STREAM_LIMIT`, or what the stream raises."""
        try:
            for piece in source:
                self._take(piece)
            return self._joined()
        finally:
            close = getattr(source, "close", None)
            if callable(close):
                close()

    async def read_async(self, source: Any) -> Any:
        if not isinstance(source, AsyncIterator):
            return self.read(source)
        try:
            while True:
                left = max(0.0, self._ends_at - time.monotonic())
                self._take(await asyncio.wait_for(source.__anext__(), left))
        except StopAsyncIteration:
            return self._joined()
        except asyncio.TimeoutError:
            raise self._too_late() from None
        finally:
            close = getattr(source, "aclose", None)
            if callable(close):
                await close()

    def _take(self, piece: Any) -> None:
        size = len(piece) if isinstance(piece, (str, bytes, bytearray)) else len(payload_text(piece, 10_000))
        self._left -= max(size, _MIN_PIECE_BYTES)
        if self._left < 0:
            raise _too_long(f"gives more than {self._max_bytes} bytes")
        if time.monotonic() > self._ends_at:
            raise self._too_late()
        self._pieces.append(piece)

    def _too_late(self) -> HookError:
        return _too_long(f"has not ended within {self._timeout_s:g} s")

    def _joined(self) -> Any:
        pieces = self._pieces
        if pieces and all(type(piece) is str for piece in pieces):
            return "".join(pieces)
        if pieces and all(isinstance(piece, (bytes, bytearray)) for piece in pieces):
            return b"".join(pieces)
        return pieces


def _too_long(how: str) -> HookError:
    return HookError("HL_STREAM_LIMIT", f"The tool's result is a stream that {how}.", failure="overloaded")
