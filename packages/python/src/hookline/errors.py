"""The errors of this package. Each has a code of docs/reference/errors.md and says what to do."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Callable, Dict, Optional, Tuple

if TYPE_CHECKING:
    from .types import Decision


class HookError(Exception):
    """`code` names the kind of error, `fix` says what to do, `failure` how a guard failed: timeout, crash, untrusted and so on."""

    def __init__(
        self, code: str, message: str, *, fix: Optional[str] = None, event: Optional[str] = None, failure: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        self.event = event
        self.failure = failure

    def __str__(self) -> str:
        return self.message if self.fix is None else f"{self.message} {self.fix}"


class Blocked(Exception):
    """A guard or a person said no. The tool did not run."""

    def __init__(self, decision: "Decision") -> None:
        super().__init__(decision.reason or "The call was blocked.")
        self.decision = decision

    @property
    def reason(self) -> str:
        return str(self)

    @property
    def end_loop(self) -> bool:
        """Whether the agent's loop is to end, too."""
        return self.decision.end_loop


Report = Callable[[HookError], None]
_QUIET_S = 60.0


class QuietReports:
    """Tells a listener of each kind of error at most once a minute, with the number that it kept quiet meanwhile. Never raises."""

    def __init__(self, listen: Optional[Report]) -> None:
        self._listen = listen or _print_error
        self._kinds: Dict[str, Tuple[float, int]] = {}
        self._lock = threading.Lock()

    def __call__(self, error: HookError) -> None:
        now = time.monotonic()
        with self._lock:
            quiet_until, suppressed = self._kinds.get(error.code, (0.0, 0))
            if now < quiet_until:
                self._kinds[error.code] = (quiet_until, suppressed + 1)
                return
            self._kinds[error.code] = (now + _QUIET_S, 0)
        if suppressed > 0:
            error.message = f"{error.message} ({suppressed} more of this kind in between)"
        try:
            self._listen(error)
        except Exception:
            # The error of a listener that raises cannot be reported anywhere.
            pass


def _print_error(error: HookError) -> None:
    print(f"hookline: {error}", file=sys.stderr)
