"""Follows the hub's files and keeps a link to the hub, whichever that is, for as long as there is one. Used under the lock of the connection."""

from __future__ import annotations

import math
import os
import random
import selectors
import time
from typing import Any, Callable, Dict, Optional, Tuple

from ._link import Link, LinkLost, unreachable
from ._sighting import GATES_FILE, HUB_FILE, HubFile, Sighting, read_hub_file, sight_hub, signature
from .errors import HookError, Report

#: How often the files are looked at, without a hub and with one.
_LOOK_S = 0.25
_LOOK_UP_S = 1.0
#: A link that stood for less may belong to a hub that falls over at once: the pauses go on growing.
_STEADY_S = 1.0
#: What follows a hub that has no room.
_BUSY_FAILURES = 4
#: A hub that restarts is away for a moment; a process that was attached does not report that.
_QUIET_FAILURES = 3
_HANDSHAKE_S = 1.0


class Dialer:
    """`login` is what the login frame says, `sighted` hears of the files, `down` of a link that was up and is lost."""

    def __init__(
        self,
        folder: str,
        login: Dict[str, Any],
        report: Report,
        selector: selectors.BaseSelector,
        sighted: Callable[[Sighting], None],
        down: Callable[[], None],
    ) -> None:
        self.link: Optional[Link] = None
        self._folder = folder
        self._login = login
        self._report = report
        self._selector = selector
        self._sighted = sighted
        self._down = down
        self._failures = 0
        self._dial_at = math.inf
        self._look_at = 0.0
        self._up_at = 0.0
        self._has_been_up = False
        self._away_since: Optional[float] = time.monotonic()
        self._why = ""
        self._is_closed = False
        self._signature: Tuple[Any, ...] = signature(folder)
        self.sighting: Sighting = sight_hub(folder)
        self._changed(self.sighting)

    @property
    def state(self) -> str:
        if self.link is not None:
            return "attached" if self.link.is_up else "connecting"
        return "waiting" if self._dial_at == math.inf else "connecting"

    @property
    def next_at(self) -> float:
        step = math.inf if self.link is None or self.link.is_up else self.link.step_ends_at
        return min(self._look_at, self._dial_at, step)

    @property
    def away_s(self) -> float:
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since

    def is_hopeless(self, timeout_s: float) -> bool:
        """Away for longer than an answer may take, and not just about to shake hands."""
        if self._away_since is None or self.away_s <= timeout_s:
            return False
        return self.link is None or time.monotonic() - self.link.dialled_at > _HANDSHAKE_S

    def why(self) -> str:
        """Why there is no link, in words without a full stop."""
        hub = self.sighting.hub
        if hub is None:
            return "there is no hub"
        if not isinstance(hub, HubFile):
            return self._not_followed(HUB_FILE, hub.reason)
        return self._why or f'the hub on "{hub.line}" has not proved itself yet'

    def keep_time(self, now: float) -> None:
        if now >= self._look_at:
            self._look(now)
        if now >= self._dial_at:
            self._dial(now)
        if self.link is not None:
            try:
                self.link.check_step(now)
            except LinkLost as lost:
                self.lose(lost)

    def up(self) -> None:
        self._up_at = time.monotonic()
        self._has_been_up = True
        self._away_since = None
        self._why = ""

    def progressed(self) -> None:
        """The hub takes what it is sent: from now on a loss is a new one."""
        self._failures = 0

    def lose(self, lost: LinkLost) -> None:
        link, now = self.link, time.monotonic()
        if link is None:
            return
        was_up = self._up_at > 0
        if was_up and now - self._up_at >= _STEADY_S:
            self._failures = 0
        self._up_at = 0.0
        self._drop()
        if was_up:
            self._away_since = now
            self._down()
        if self._is_closed:
            return
        if link.bye in ("disk_full", "overloaded"):
            self._failures = max(self._failures, _BUSY_FAILURES)
        # A peer that was dialled with an old token is not an impostor: just dial again.
        if read_hub_file(self._folder) != link.file:
            self._look_at = 0.0
            return self._again(now)
        return self._failed(lost, now)

    def close(self) -> None:
        self._is_closed = True
        self._drop()

    def _look(self, now: float) -> None:
        self._look_at = now + (_LOOK_UP_S if self.link is not None and self.link.is_up else _LOOK_S)
        seen = signature(self._folder)
        if seen == self._signature:
            return
        found = sight_hub(self._folder)
        self._signature = seen
        if found != self.sighting:
            self.sighting = found
            self._changed(found)

    def _changed(self, sighting: Sighting) -> None:
        self._why = ""
        self._sighted(sighting)
        self._report_faults(sighting)
        hub, link = sighting.hub, self.link
        if not isinstance(hub, HubFile):
            return
        if link is not None and link.is_up and link.file.instance == hub.instance:
            # A new token of the same hub ends the link from the hub's side.
            return
        self._failures = 0
        if link is None:
            self._dial_at = 0.0
        elif link.file != hub:
            self.lose(unreachable(link.file.line, "there is a new hub"))

    def _report_faults(self, sighting: Sighting) -> None:
        """A file that is not followed is never passed over in silence."""
        hub, gates = sighting.hub, sighting.gates
        if hub is not None and not isinstance(hub, HubFile):
            code = "HL_HUB_FOREIGN" if hub.state == "foreign" else "HL_HUB_FILE"
            self._report_fault(code, self._not_followed(HUB_FILE, hub.reason))
        elif gates is not None and not isinstance(gates, tuple):
            self._report_fault("HL_GATES_FILE", self._not_followed(GATES_FILE, gates.reason))
        elif isinstance(hub, HubFile) and gates is None:
            path = os.path.join(self._folder, GATES_FILE)
            self._report_fault("HL_GATES_FILE", f'"{path}" is missing, though there is a {HUB_FILE}')

    def _report_fault(self, code: str, what: str) -> None:
        message = f"{what}. Closed gates deny until a hub has proved itself."
        self._report(HookError(code, message, fix="Run: hookline doctor", failure="untrusted"))

    def _not_followed(self, name: str, reason: str) -> str:
        return f'"{os.path.join(self._folder, name)}" is not followed: {reason}'

    def _dial(self, now: float) -> None:
        self._dial_at = math.inf
        if self.link is not None:
            return
        found = read_hub_file(self._folder)
        if not isinstance(found, HubFile):
            # The next look tells when it changes; until it has seen that there is none, the next try is ours.
            if isinstance(self.sighting.hub, HubFile):
                self._again(now)
            return
        try:
            self.link = Link(found, self._login)
        except LinkLost as lost:
            return self._failed(lost, now)
        except HookError as error:
            return self._failed(LinkLost(error, error.message.rstrip(".")), now)
        self._selector.register(self.link.socket, selectors.EVENT_READ)
        return None

    def _drop(self) -> None:
        link, self.link = self.link, None
        if link is None:
            return
        try:
            self._selector.unregister(link.socket)
        except (KeyError, ValueError, RuntimeError):
            pass
        link.close()

    def _failed(self, lost: LinkLost, now: float) -> None:
        self._why = lost.why
        is_passing = lost.error.code == "HL_HUB_UNREACHABLE" and self._has_been_up and self._failures < _QUIET_FAILURES
        if not is_passing:
            self._report(lost.error)
        self._again(now)

    def _again(self, now: float) -> None:
        full = min(2.0, 0.05 * 2 ** min(self._failures, 30))
        self._failures += 1
        self._dial_at = now + full * (0.5 + 0.5 * random.random())
