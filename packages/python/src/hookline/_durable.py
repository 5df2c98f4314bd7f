"""The durable backlog: every event is on disk before it is anything else. Used under the lock of the connection."""

from __future__ import annotations

import errno
import math
import re
import time
from collections import deque
from typing import Deque, List, Optional, Tuple, Union

from ._backlog import Ledger, Limits
from ._outgoing import Items, Outgoing, Writer
from ._spool import Segment, Segments
from .errors import HookError, Report

#: How much of the head is kept in memory, and how long the disk is left alone after it failed.
_WINDOW_COUNT = 2_048
_WINDOW_BYTES = 4 * 1024 * 1024
_DISK_PAUSE_S = 1.0
_BLOCK_BYTES = 256 * 1024
_ORDER = re.compile(rb'\{"v":[12],"id":"[^"]*","seq":(\d+),')
#: What a process may be short of for a moment: what it wrote is still there.
_PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EBUSY)


class _Unread:
    def __init__(self, segment: Segment, offset: int) -> None:
        self.segment = segment
        self.offset = offset
        self.lines = 1


class SegmentReader:
    """Reads back the lines that were left on disk alone, in order."""

    def __init__(self) -> None:
        self._unread: Deque[_Unread] = deque()
        self._ready: Deque[Outgoing] = deque()
        self.count = 0

    def left(self, segment: Segment, offset: int) -> None:
        self.count += 1
        last = self._unread[-1] if self._unread else None
        if last is not None and last.segment is segment:
            last.lines += 1
        else:
            self._unread.append(_Unread(segment, offset))

    def peek(self) -> Optional[Outgoing]:
        """Raises when what was written cannot be read."""
        if not self._ready and self._unread:
            self._ready.extend(self._read_block(self._unread[0]))
        return self._ready[0] if self._ready else None

    def take(self) -> Optional[Outgoing]:
        item = self.peek()
        if item is not None:
            self._ready.popleft()
            self.count -= 1
        return item

    def skip(self) -> int:
        """Gives up what is left of the segment that could not be read; gives how many lines that were."""
        if not self._unread:
            return 0
        lost = self._unread.popleft()
        self.count -= lost.lines
        lost.segment.left -= lost.lines
        return lost.lines

    def _read_block(self, unread: _Unread) -> List[Outgoing]:
        segment = unread.segment
        block = segment.read(unread.offset, _BLOCK_BYTES)
        if b"\n" not in block:
            block = segment.read(unread.offset, segment.size - unread.offset)
        end = block.rfind(b"\n")
        if end < 0:
            raise ValueError(f'"{segment.path}" is shorter than what was written to it')
        items = [_item_of(line, segment) for line in block[:end].split(b"\n")[: unread.lines]]
        unread.lines -= len(items)
        unread.offset += sum(item.size for item in items)
        if unread.lines == 0:
            self._unread.popleft()
        return items


class DurableBacklog:
    def __init__(self, segments: Segments, limits: Limits, ledger: Ledger, write_line: Writer, report: Report) -> None:
        self.segments = segments
        self._limits = limits
        self._ledger = ledger
        self._write_line = write_line
        self._report = report
        self._window: Deque[Outgoing] = deque()
        self._window_bytes = 0
        self._reader = SegmentReader()
        self._aside: Deque[Outgoing] = deque()
        self._aside_bytes = 0
        self._out = 0
        self._disk_from = 0.0
        self._read_from = 0.0

    @property
    def pending(self) -> int:
        return len(self._window) + self._reader.count + len(self._aside) + self._out

    @property
    def first_order(self) -> float:
        if self._window:
            return self._window[0].order
        head, is_later = self._head()
        return 0 if is_later else math.inf if head is None else head.order

    def push(self, item: Outgoing) -> None:
        line = self._write_line(item)
        if line is None:
            return self._ledger.drop("oversize")
        stored = self._store(item, line + b"\n")
        if stored == "full":
            return self._ledger.drop("spool_full")
        if isinstance(stored, str):
            return self._put_aside(item)
        is_behind = self._reader.count > 0 or self._aside or len(self._window) >= _WINDOW_COUNT or self._window_bytes >= _WINDOW_BYTES
        if is_behind:
            return self._reader.left(*stored)
        self._window.append(item)
        self._window_bytes += item.size
        return None

    def next(self) -> Optional[Outgoing]:
        item = self._shift_window() if self._window else self._take_head()
        if item is not None:
            self._out += 1
        return item

    def put_back(self, items: Items) -> None:
        self._out -= len(items)
        self._window.extendleft(reversed(items))
        self._window_bytes += sum(item.size for item in items)

    def settle(self, item: Outgoing) -> None:
        self._out -= 1
        if item.segment is not None:
            self.segments.settle(item.segment)

    def release(self) -> Tuple[int, List[Outgoing]]:
        held = list(self._window)
        rest = [item for item in held if item.segment is None] + list(self._aside)
        left = sum(1 for item in held if item.segment is not None) + self._reader.count
        self._window.clear()
        self._aside.clear()
        self._window_bytes = self._aside_bytes = self._reader.count = self._out = 0
        self.segments.release()
        return left, rest

    def _store(self, item: Outgoing, line: bytes) -> Union[str, Tuple[Segment, int]]:
        now = time.monotonic()
        if now < self._disk_from:
            return "failed"
        try:
            segment = self.segments.append(line)
        except (OSError, HookError) as error:
            # A disk that fails is not tried for each event.
            self._disk_from = now + _DISK_PAUSE_S
            self._report(HookError("HL_SPOOL_FAILED", f"An event could not be written to the spool, so it waits in memory: {error}."))
            return "failed"
        if segment is None:
            return "full"
        item.segment = segment
        item.size = len(line)
        return segment, segment.size - len(line)

    def _put_aside(self, item: Outgoing) -> None:
        if len(self._aside) >= self._limits.max_count or self._aside_bytes + item.size > self._limits.max_bytes:
            return self._ledger.drop("queue_full")
        self._aside.append(item)
        self._aside_bytes += item.size
        return None

    def _shift_window(self) -> Outgoing:
        item = self._window.popleft()
        self._window_bytes -= item.size
        return item

    def _head(self) -> Tuple[Optional[Outgoing], bool]:
        """The older of what only the disk holds and what only memory holds; or that it cannot be had now."""
        on_disk, is_later = self._peek_disk()
        aside = self._aside[0] if self._aside else None
        if is_later or aside is None:
            return on_disk, is_later
        return (aside, False) if on_disk is None or aside.order < on_disk.order else (on_disk, False)

    def _take_head(self) -> Optional[Outgoing]:
        head, is_later = self._head()
        if is_later or head is None:
            return None
        if self._aside and head is self._aside[0]:
            self._aside_bytes -= head.size
            return self._aside.popleft()
        return self._reader.take()

    def _peek_disk(self) -> Tuple[Optional[Outgoing], bool]:
        while self._reader.count > 0:
            if time.monotonic() < self._read_from:
                return None, True
            try:
                return self._reader.peek(), False
            except (OSError, ValueError) as error:
                if getattr(error, "errno", None) in _PASSING:
                    self._read_from = time.monotonic() + _DISK_PAUSE_S
                    self._report(HookError("HL_SPOOL_FAILED", f"Events cannot be read back from the spool yet: {error}."))
                    return None, True
                self._ledger.drop("spool_failed", self._reader.skip())
                self._report(HookError("HL_SPOOL_FAILED", f"Events could not be read back from the spool: {error}."))
        return None, False


def _item_of(line: bytes, segment: Segment) -> Outgoing:
    found = _ORDER.match(line)
    if found is None:
        raise ValueError(f'"{segment.path}" holds a line that was not written to it')
    item = Outgoing(int(found.group(1)), 0, len(line) + 1, None, line)
    item.segment = segment
    return item
