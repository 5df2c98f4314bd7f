"""Files in the hub's spool folder: `<instance>.<n>.<writer>.live` while they are written, `.ndjson` when they are handed over."""

from __future__ import annotations

import hashlib
import itertools
import os
import secrets
import socket
import sys
import time
from typing import List, Optional, Set

from ._machine import is_long_socket_path, open_folder
from .errors import HookError, Report

_MAX_SEGMENT_BYTES = 4 * 1024 * 1024
#: From here on a segment that is wholly settled is emptied at once.
_EMPTY_BYTES = 64 * 1024
_REMEASURE_S = 1.0
#: Of this process, so that the files of one instance sort as they were begun.
_files = itertools.count(1)


class Segment:
    """A file that this process appends to, and that goes when all of it is settled."""

    def __init__(self, spool: str, name: str) -> None:
        self.path = os.path.join(spool, f"{name}.live")
        self.size = 0
        #: Lines that are not settled yet.
        self.left = 0
        self.is_sealed = False
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self.fd: Optional[int] = os.open(self.path, flags, 0o600)
        os.fchmod(self.fd, 0o600)

    def append(self, line: bytes) -> None:
        """Writes a line, or several at once, whole or not at all."""
        assert self.fd is not None
        try:
            written = 0
            while written < len(line):
                written += os.write(self.fd, line[written:] if written else line)
        except OSError:
            self._take_back()
            raise
        self.size += len(line)
        self.left += 1

    def read(self, offset: int, count: int) -> bytes:
        if self.fd is not None:
            return os.pread(self.fd, min(count, self.size - offset), offset)
        fd = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return os.pread(fd, min(count, self.size - offset), offset)
        finally:
            os.close(fd)

    def seal(self) -> None:
        self.is_sealed = True
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None

    def empty(self) -> None:
        """All of it is settled, and more will come."""
        assert self.fd is not None
        os.ftruncate(self.fd, 0)
        self.size = 0

    def remove(self) -> None:
        self.seal()
        _quietly_remove(self.path)

    def hand_over(self) -> None:
        """Leaves it to the hub, which may collect it from now on."""
        self.seal()
        os.rename(self.path, f"{self.path[: -len('.live')]}.ndjson")

    def _take_back(self) -> None:
        try:
            assert self.fd is not None
            os.ftruncate(self.fd, self.size)
        except OSError:
            # Half a line at the end, which readers pass over; nothing may follow it.
            self.seal()


class SpoolWriter:
    """A process that writes to a spool. As long as it has files that are not handed over, a socket beside them shows that it lives."""

    def __init__(self, folder: str, instance: str, report: Report) -> None:
        self.folder = folder
        self.id = f"{_this_kernel()}-{secrets.token_hex(6)}"
        self.socket: Optional[socket.socket] = None
        self._instance = instance
        self._report = report

    def begin(self) -> Segment:
        spool = open_spool(self.folder)
        # Before the file: a hub that finds it must find its writer alive.
        if self.socket is None:
            self.socket = self._listen(spool)
        return Segment(spool, f"{self._instance}.{next(_files)}.{self.id}")

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            _quietly_remove(os.path.join(self.folder, "spool", f"{self.id}.sock"))
        self.socket = None

    def accept(self) -> None:
        """A hub that looks whether this process lives needs no answer but the connection."""
        try:
            if self.socket is not None:
                self.socket.accept()[0].close()
        except OSError:
            pass

    def _listen(self, spool: str) -> Optional[socket.socket]:
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        name = f"{self.id}.sock"
        folder = None
        try:
            path = os.path.join(spool, f"{name}.new")
            if is_long_socket_path(path) and sys.platform == "linux":
                folder = os.open(spool, os.O_RDONLY | os.O_CLOEXEC)
                path = f"/proc/self/fd/{folder}/{name}.new"
            server.bind(path)
            server.listen(16)
            server.setblocking(False)
            # Under its name it listens, or its process is dead.
            os.rename(os.path.join(spool, f"{name}.new"), os.path.join(spool, name))
            return server
        except OSError as error:
            server.close()
            what = "If this process is killed, its files stay in the spool after the hub has read them"
            why = f'it cannot listen on a socket in "{spool}": {error}'
            self._report(HookError("HL_SPOOL_FAILED", f"{what}, because {why}."))
            return None
        finally:
            if folder is not None:
                os.close(folder)


class Segments:
    """The segments of one connection: a log that grows at one end and goes at the other."""

    def __init__(self, writer: SpoolWriter, max_bytes: int) -> None:
        self._writer = writer
        self._max_bytes = max_bytes
        self._all: Set[Segment] = set()
        self._current: Optional[Segment] = None
        self._used = 0
        self._measured_at = 0.0

    def append(self, line: bytes) -> Optional[Segment]:
        """The segment that took the line; nothing when the spool is full."""
        segment = self._segment_for(len(line))
        if self._is_full(len(line)):
            return None
        segment.append(line)
        self._used += len(line)
        return segment

    def settle(self, segment: Segment) -> None:
        segment.left -= 1
        if segment.left > 0:
            return
        if segment.is_sealed:
            self._remove(segment)
        elif segment.size >= _EMPTY_BYTES:
            self.empty()

    def empty(self) -> None:
        """Once a second, too: a segment that is never full would bring back, after a kill, what the hub may have forgotten meanwhile."""
        segment = self._current
        if segment is None or segment.left > 0 or segment.is_sealed or segment.size == 0:
            return
        self._used -= segment.size
        try:
            segment.empty()
        except OSError:
            pass

    def release(self) -> None:
        """Leaves to the hub what is not settled, and removes the rest."""
        for segment in self._all:
            try:
                if segment.left > 0:
                    segment.hand_over()
                else:
                    segment.remove()
            except OSError:
                # The hub collects a file that cannot be renamed, and recognises its events.
                pass
        self._all.clear()
        self._current = None

    def fds(self) -> List[int]:
        return [segment.fd for segment in self._all if segment.fd is not None]

    def _segment_for(self, length: int) -> Segment:
        current = self._current
        if current is not None and not current.is_sealed and current.size + length <= _MAX_SEGMENT_BYTES:
            return current
        segment = self._writer.begin()
        self._measure()
        if current is not None:
            current.seal()
            if current.left == 0:
                self._remove(current)
        self._current = segment
        self._all.add(segment)
        return segment

    def _is_full(self, length: int) -> bool:
        if self._used + length <= self._max_bytes:
            return False
        # A hub may have collected what others left.
        if time.monotonic() - self._measured_at >= _REMEASURE_S:
            self._measure()
        return self._used + length > self._max_bytes

    def _measure(self) -> None:
        self._measured_at = time.monotonic()
        self._used = spool_bytes(open_spool(self._writer.folder))

    def _remove(self, segment: Segment) -> None:
        self._all.discard(segment)
        self._used -= segment.size
        segment.remove()


def open_spool(state: str) -> str:
    return open_folder(os.path.join(open_folder(state), "spool"))


def spool_bytes(spool: str) -> int:
    total = 0
    with os.scandir(spool) as entries:
        for entry in entries:
            try:
                total += entry.stat(follow_symlinks=False).st_size
            except OSError:
                continue
    return total


def _this_kernel() -> str:
    """Names the running kernel, the same in all its containers."""
    if sys.platform != "linux":
        return sys.platform
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:12]
    except OSError:
        return "unknown"


def _quietly_remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
