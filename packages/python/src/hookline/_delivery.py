"""Sends what waits over the link there is, and settles what the hub acknowledges. Used under the lock of the connection."""

from __future__ import annotations

import math
import time
from collections import deque
from concurrent.futures import Future
from typing import Any, Deque, List, Optional, Tuple, Union

from ._backlog import Ledger, Limits, MemoryBacklog
from ._durable import DurableBacklog
from ._link import Link
from ._outgoing import Outgoing

#: On its way and not acknowledged, at most: a hub that stands still costs no more.
_WINDOW_COUNT = 4_096
_WINDOW_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024

Backlog = Union[MemoryBacklog, DurableBacklog]


class Delivery:
    def __init__(self, backlog: Backlog, limits: Limits, ledger: Ledger) -> None:
        self._backlog = backlog
        self._ledger = ledger
        # Half of a small queue: what is on its way cannot make room for others.
        self._max_count = max(1, min(_WINDOW_COUNT, limits.max_count // 2))
        self._unacked: Deque[Outgoing] = deque()
        self._unacked_bytes = 0
        #: Their lines are being made, without the lock.
        self._in_hand: List[Outgoing] = []
        self._settled = 0
        self._moved_at = 0.0
        self._waiters: List[Tuple[int, "Future[bool]"]] = []

    @property
    def silent_s(self) -> float:
        """How long the hub has owed an acknowledgement without giving any."""
        return time.monotonic() - self._moved_at if self._unacked else 0.0

    def attach(self) -> None:
        self._settled = 0

    def detach(self) -> None:
        """The link is lost: what it was given is sent again over the next one, before anything newer."""
        items = [*self._unacked, *self._in_hand]
        self._unacked.clear()
        self._unacked_bytes = 0
        self._in_hand = []
        self._backlog.put_back([item for item in items if not item.is_refused])
        for item in items:
            # It would not be taken the second time either.
            if item.is_refused:
                self._drop(item, "refused")

    def take_batch(self, link: Optional[Link]) -> List[Outgoing]:
        """What to send next. `send` has to follow, unless the link is lost meanwhile."""
        batch: List[Outgoing] = []
        if link is None or not link.is_up or link.unwritten > 0:
            return batch
        size = 0
        while len(self._unacked) + len(batch) < self._max_count and self._unacked_bytes + size < _WINDOW_BYTES and size < _CHUNK_BYTES:
            item = self._backlog.next()
            if item is None:
                break
            batch.append(item)
            size += item.size
        self._in_hand = batch
        return batch

    def send(self, link: Link, lines: List[Tuple[Outgoing, Optional[bytes]]]) -> None:
        if not self._unacked:
            self._moved_at = time.monotonic()
        self._in_hand = []
        data = []
        for item, line in lines:
            if line is None:
                self._drop(item, "oversize")
                continue
            self._unacked.append(item)
            self._unacked_bytes += item.size
            data.append(line)
        if data:
            link.write(b"\n".join(data) + b"\n")

    def acknowledge(self, number: Any) -> bool:
        """Whether anything was settled."""
        if type(number) is not int:
            return False
        before = self._settled
        while self._settled < number and self._unacked:
            item = self._unacked.popleft()
            self._unacked_bytes -= item.size
            self._settled += 1
            self._backlog.settle(item)
            if item.is_refused:
                self._ledger.drop("refused")
            else:
                self._ledger.acked += 1
        if self._settled == before:
            return False
        self._moved_at = time.monotonic()
        self.check()
        return True

    def refuse(self, number: Any) -> None:
        index = number - self._settled - 1 if type(number) is int else -1
        if 0 <= index < len(self._unacked):
            self._unacked[index].is_refused = True

    def wait_for(self, order: int) -> "Future[bool]":
        """Done once all events up to a number are settled."""
        future: "Future[bool]" = Future()
        self._waiters.append((order, future))
        self.check()
        return future

    def check(self) -> None:
        if not self._waiters:
            return
        ahead = [items[0].order for items in (self._unacked, self._in_hand) if items]
        first = min([*ahead, self._backlog.first_order], default=math.inf)
        for order, future in [waiter for waiter in self._waiters if first > waiter[0]]:
            self._waiters.remove((order, future))
            if future.set_running_or_notify_cancel():
                future.set_result(True)

    def _drop(self, item: Outgoing, reason: str) -> None:
        self._backlog.settle(item)
        self._ledger.drop(reason)
        self.check()
