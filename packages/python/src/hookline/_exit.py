"""The ways out of a process: what is not acknowledged goes into the spool."""

from __future__ import annotations

import os
import signal
import threading
from typing import Callable, List

from ._backlog import Ledger
from ._outgoing import Outgoing, Writer
from ._spool import SpoolWriter, open_spool, spool_bytes
from .errors import HookError, Report

_SIGNALS = ("SIGTERM", "SIGHUP")


def spool_at_exit(
    items: List[Outgoing], writer: SpoolWriter, max_bytes: int, ledger: Ledger, write_line: Writer, report: Report
) -> None:
    """Writes events to a file of the spool before it returns, and counts what became of each. Never raises."""
    if not items:
        return
    lines: List[bytes] = []
    try:
        room = max_bytes - spool_bytes(open_spool(writer.folder))
        for item in items:
            line = write_line(item)
            if line is None:
                ledger.drop("oversize")
                continue
            room -= len(line) + 1
            if room < 0:
                ledger.drop("spool_full")
            else:
                lines.append(line)
        if lines:
            _write_whole(writer, lines)
            ledger.spooled += len(lines)
    except (OSError, HookError) as error:
        lost = len(lines) or len(items)
        ledger.drop("spool_failed", lost)
        report(HookError("HL_SPOOL_FAILED", f'{lost} events could not be written to the spool in "{writer.folder}": {error}.'))


def _write_whole(writer: SpoolWriter, lines: List[bytes]) -> None:
    segment = writer.begin()
    try:
        segment.append(b"\n".join(lines) + b"\n")
        # Not handed over until it is whole: until then no hub removes it.
        segment.hand_over()
    except OSError:
        segment.remove()
        raise


def follow_signals(leave: Callable[[], None]) -> None:
    """Runs `leave` before SIGTERM or SIGHUP end the process. A signal that the program handles itself is left alone."""
    if threading.current_thread() is not threading.main_thread():
        return

    def handle(number: int, _frame: object) -> None:
        leave()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for name in _SIGNALS:
        number = getattr(signal, name)
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, handle)
