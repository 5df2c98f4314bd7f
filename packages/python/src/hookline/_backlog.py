"""Holds events from the moment they are taken until they are settled, in order. Used under the lock of the connection."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Deque, Dict, List, Optional, Tuple

from ._outgoing import Items, Outgoing


@dataclass(frozen=True)
class Limits:
    max_count: int
    max_bytes: int


class Ledger:
    """Counts what becomes of events. What is pending is counted where it stands, so that the sum can be checked."""

    def __init__(self) -> None:
        self.accepted = 0
        self.acked = 0
        self.spooled = 0
        self.attached = 0
        self.dropped: Dict[str, int] = {}

    def drop(self, reason: str, count: int = 1) -> None:
        if count > 0:
            self.dropped[reason] = self.dropped.get(reason, 0) + count


class Lanes:
    """First in, first out; but the oldest of the lowest class can be taken out of turn."""

    def __init__(self) -> None:
        self._lanes: Tuple[Deque[Outgoing], ...] = (deque(), deque(), deque())
        self.bytes = 0

    def __len__(self) -> int:
        return sum(len(lane) for lane in self._lanes)

    @property
    def first(self) -> Optional[Outgoing]:
        heads = [lane[0] for lane in self._lanes if lane]
        return min(heads, key=lambda item: item.order) if heads else None

    def push(self, item: Outgoing) -> None:
        self._lanes[item.rank].append(item)
        self.bytes += item.size

    def shift(self) -> Optional[Outgoing]:
        first = self.first
        return None if first is None else self._take(first.rank)

    def evict(self, limit: int) -> Optional[Outgoing]:
        """Takes out the oldest of the lowest class, if that class is not above `limit`."""
        lowest = next((rank for rank, lane in enumerate(self._lanes) if lane), limit + 1)
        return None if lowest > limit else self._take(lowest)

    def _take(self, rank: int) -> Outgoing:
        item = self._lanes[rank].popleft()
        self.bytes -= item.size
        return item


class MemoryBacklog:
    """A bounded queue. What was given out counts, and stays, also when it comes back: the hub may have it."""

    def __init__(self, limits: Limits, ledger: Ledger) -> None:
        self._limits = limits
        self._ledger = ledger
        self._lanes = Lanes()
        self._returned: Deque[Outgoing] = deque()
        self._out_count = 0
        self._out_bytes = 0

    @property
    def pending(self) -> int:
        return len(self._lanes) + self._out_count

    @property
    def first_order(self) -> float:
        first = self._returned[0] if self._returned else self._lanes.first
        return math.inf if first is None else first.order

    def push(self, item: Outgoing) -> None:
        if item.size > self._limits.max_bytes:
            return self._ledger.drop("oversize")
        while (
            self.pending + 1 > self._limits.max_count or self._lanes.bytes + self._out_bytes + item.size > self._limits.max_bytes
        ):
            if self._lanes.evict(item.rank) is None:
                return self._ledger.drop("queue_full")
            self._ledger.drop("queue_full")
        return self._lanes.push(item)

    def next(self) -> Optional[Outgoing]:
        """Gives out the oldest that waits. It stays pending until it is settled or put back."""
        if self._returned:
            return self._returned.popleft()
        item = self._lanes.shift()
        if item is not None:
            self._out_count += 1
            self._out_bytes += item.size
        return item

    def put_back(self, items: Items) -> None:
        self._returned.extendleft(reversed(items))

    def settle(self, item: Outgoing) -> None:
        self._out_count -= 1
        self._out_bytes -= item.size

    def release(self) -> Tuple[int, List[Outgoing]]:
        """On the way out: how many are left on disk, and what only memory holds. Nothing is pending afterwards."""
        rest = list(self._returned)
        self._returned.clear()
        self._out_count = self._out_bytes = 0
        item = self._lanes.shift()
        while item is not None:
            rest.append(item)
            item = self._lanes.shift()
        return 0, rest
