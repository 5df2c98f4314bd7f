"""A queue, a thread and the hub: everything of one process that goes over `line.sock`."""

from __future__ import annotations

import math
import os
import selectors
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, List, Optional, Set

from ._backlog import Ledger, Limits, MemoryBacklog
from ._catalog import event_filter
from ._delivery import Backlog, Delivery
from ._dialer import Dialer
from ._durable import DurableBacklog
from ._exit import spool_at_exit
from ._gates import RemoteGates
from ._json import dumps
from ._link import MAX_LINE_BYTES, Link, LinkLost, unreachable
from ._outgoing import LineWriter, take_event
from ._questions import Question, Questions, closed, nobody, overloaded, too_large
from ._redact import Redactor
from ._sighting import HubFile, Sighting
from ._spool import Segments, SpoolWriter
from .errors import HookError, QuietReports
from .options import Options
from .types import Counters, Json

#: How long the first of a batch waits for company.
_GATHER_S = 0.002
_SILENT_S = 15
#: A hub that reads nothing for so many looks, a second each, stands still.
_MAX_STUCK_LOOKS = 2
_MAX_UNWRITTEN = 8 * 1024 * 1024
#: How long a hub may be away before a question that waits for a person is denied.
_PATIENCE_S = 10.0

#: Folders of which it was said that there is no hub.
_empty: Set[str] = set()


def _gates_of(options: Options) -> RemoteGates:
    return RemoteGates(options.gate_events, options.gate_timeout_ms, options.gate_on_failure, options.required)


class Connection:
    def __init__(self, options: Options, source: Json, folder: str, hear_effects: Callable[[Json], List[str]]) -> None:
        self.source = source
        self.report = QuietReports(options.on_error)
        self.gates = _gates_of(options) if options.gates else None
        self.questions = Questions(self._unanswered)
        self._options = options
        self._hear_effects = hear_effects
        self._accepts = event_filter(options.events)
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._seq = 0
        self._begun = options.durable
        self._has_left = False
        self._pump_at = math.inf
        self._second_at = 0.0
        self._stuck_looks = 0
        self._told = b""
        redactor = Redactor(options.redact, options.redact_secrets, self.report)
        self._write_line = LineWriter(source, redactor, options.redact_secrets, options.max_payload_bytes, self.report)
        self._writer = SpoolWriter(folder, source["instance"], self.report)
        limits = Limits(options.queue_count, options.queue_bytes)
        self._backlog = self._make_backlog(limits)
        self._delivery = Delivery(self._backlog, limits, self._ledger)
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        for fd in (self._wake_read, self._wake_write):
            os.set_blocking(fd, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._listening: Optional[int] = None
        login: Json = {"source": source}
        if options.durable:
            # What is on disk comes over the line as well: the hub need not read it there.
            login["spool"] = self._writer.id
        self._dialer: Optional[Dialer] = None
        self._dialer = Dialer(folder, login, self.report, self._selector, self._sighted, self._down)
        self._say_no_hub(folder, options)
        self._thread = threading.Thread(target=self._run, name="hookline", daemon=True)
        self._thread.start()

    def _say_no_hub(self, folder: str, options: Options) -> None:
        """Once: from then on it is known that the hub comes later, or not at all. One line is enough for a program with many clients."""
        if self._dialer is None or self._dialer.sighting.hub is not None or (options.on_error is None and folder in _empty):
            return
        _empty.add(folder)
        message = f'There is no hub in "{folder}". Until one starts, none of its guards is asked.'
        self.report(HookError("HL_NO_HUB", message, fix="Run: hookline up"))

    def _make_backlog(self, limits: Limits) -> Backlog:
        if not self._options.durable:
            return MemoryBacklog(limits, self._ledger)
        segments = Segments(self._writer, self._options.max_spool_bytes)
        return DurableBacklog(segments, limits, self._ledger, self._write_line, self.report)

    # What callers see

    @property
    def state(self) -> str:
        with self._lock:
            return "closed" if self._has_left or self._dialer is None else self._dialer.state

    @property
    def is_begun(self) -> bool:
        """Events are taken: there is a hub, or was one, or they go to the disk."""
        return self._begun

    @property
    def has_left(self) -> bool:
        """Without the lock, which in the child of a fork may be held for ever."""
        return self._has_left

    @property
    def counters(self) -> Counters:
        with self._lock:
            ledger = self._ledger
            return Counters(
                accepted=ledger.accepted,
                acked=ledger.acked,
                pending=self._backlog.pending,
                dropped=dict(ledger.dropped),
                spooled=ledger.spooled,
                reconnects=max(0, ledger.attached - 1),
                seq=self._seq,
                gates=self.questions.counters,
            )

    def take(self, rank: int, **parts: Any) -> None:
        """Takes an event. Never raises and never waits for the hub."""
        if not self._begun or not self._accepts(parts["event"]):
            return
        with self._lock:
            self._seq += 1
            self._ledger.accepted += 1
            item = take_event(self._seq, rank, **parts)
            if item.size > self._options.max_payload_bytes * 4:
                # A payload that will be cut anyway is not kept whole until then.
                item.size = len(self._write_line(item) or b"") or item.size
            self._backlog.push(item)
            if self._has_left:
                self._spool_rest()
            elif self._link is not None and self._pump_at == math.inf:
                self._pump_at = time.monotonic() + _GATHER_S
                self._wake()

    def ask(self, question: Question) -> "Future[Any]":
        """The future of the answer. It raises when there is none, so that the failure mode decides."""
        with self._lock:
            question.deadline = time.monotonic() + question.timeout_ms / 1_000
            self.questions.open(question)
            link = self._link
            if len(question.text) > MAX_LINE_BYTES - 64:
                self.questions.fail(question, too_large(question.event))
            elif self._has_left:
                self.questions.fail(question, closed())
            elif link is not None and link.is_up:
                self._put(question, link)
            elif question.kind == "approve":
                self.questions.fail(question, nobody())
            elif self._dialer is not None and self._dialer.is_hopeless(question.timeout_ms / 1_000):
                self.questions.fail(question, self._unanswered(question, None))
            self._wake()
        return question.future

    def say(self, frame: Json) -> None:
        """A frame that nothing depends on; lost with the link."""
        with self._lock:
            if self._link is not None and self._link.is_up:
                self._link.write(dumps(frame).encode() + b"\n")
                self._wake()

    def give_up(self, question: Question, code: Optional[str]) -> None:
        """The caller waits no longer for a person."""
        with self._lock:
            self.questions.forget(question)
            self.say({"type": "unapprove", "id": question.id, **({} if code is None else {"error": code})})

    def settled(self) -> "Future[bool]":
        """Done once all that happened before is acknowledged or dropped."""
        with self._lock:
            return self._delivery.wait_for(self._seq)

    def is_sending(self) -> bool:
        with self._lock:
            return self._link is not None and self._backlog.pending > 0

    def leave(self) -> None:
        """Writes what is not acknowledged to where the hub collects it. All is done when it returns."""
        with self._lock:
            if not self._has_left:
                self._has_left = True
                self.questions.fail_all(lambda question: closed())
                if self._dialer is not None:
                    self._dialer.close()
            self._spool_rest()
            self._wake()

    def join(self, timeout_s: float) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def abandon(self) -> None:
        """In the child of a fork: everything belongs to the parent, whose locks may be held."""
        self._selector.close()
        for fd in (self._wake_read, self._wake_write):
            os.close(fd)
        if self._link is not None:
            self._link.socket.close()
        if self._writer.socket is not None:
            self._writer.socket.close()
        if isinstance(self._backlog, DurableBacklog):
            for fd in self._backlog.segments.fds():
                os.close(fd)

    # The thread

    @property
    def _link(self) -> Optional[Link]:
        return None if self._dialer is None else self._dialer.link

    def _run(self) -> None:
        while not self._has_left:
            try:
                self._turn()
            except Exception as error:
                # A defect must not end the thread: gates would wait for nothing.
                self.report(HookError("HL_HUB_UNREACHABLE", f"The connection to the hub failed: {error!r}.", failure="crash"))
                time.sleep(0.1)
        self._selector.close()

    def _turn(self) -> None:
        with self._lock:
            if self._has_left or self._dialer is None:
                return
            self._follow_sockets()
            next_at = min(self._dialer.next_at, self._second_at, self._pump_at, self.questions.next_deadline)
        for key, mask in self._selector.select(min(1.0, max(0.0, next_at - time.monotonic()))):
            if key.fd == self._wake_read:
                _drain(self._wake_read)
            elif key.fd == self._listening:
                self._writer.accept()
            else:
                self._serve(mask)
        self._keep_time(time.monotonic())

    def _follow_sockets(self) -> None:
        listening = None if self._writer.socket is None else self._writer.socket.fileno()
        if listening != self._listening:
            self._listening = listening
            if listening is not None:
                self._selector.register(listening, selectors.EVENT_READ)
        if self._link is not None:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._link.unwritten > 0 else 0)
            if self._selector.get_key(self._link.socket).events != wanted:
                self._selector.modify(self._link.socket, wanted)

    def _serve(self, mask: int) -> None:
        with self._lock:
            link, dialer = self._link, self._dialer
            if link is None or dialer is None:
                return
            if mask & selectors.EVENT_WRITE:
                link.drain()
                self._pump_at = 0.0
            if not mask & selectors.EVENT_READ:
                return
            was_up = link.is_up
            try:
                frames = link.read()
            except LinkLost as lost:
                return dialer.lose(lost)
            for frame in frames:
                if not was_up:
                    was_up = True
                    self._up(dialer, link, frame)
                else:
                    self._hear(frame)

    def _keep_time(self, now: float) -> None:
        with self._lock:
            if self._has_left or self._dialer is None:
                return
            self._dialer.keep_time(now)
            self.questions.expire(now)
            if now >= self._second_at:
                self._second_at = now + 1.0
                self._every_second(self._dialer)
        if now >= self._pump_at:
            self._pump()

    def _pump(self) -> None:
        """Sends what waits. Lines are made without the lock, so that nobody who emits waits for redaction."""
        while True:
            with self._lock:
                self._pump_at = math.inf
                link = self._link
                batch = self._delivery.take_batch(link)
            if not batch or link is None:
                return
            lines = [(item, self._write_line(item)) for item in batch]
            with self._lock:
                # Where the link was lost meanwhile, or the process ends, what is in hand went back.
                if self._has_left or link is not self._link:
                    return
                self._delivery.send(link, lines)

    def _sighted(self, sighting: Sighting) -> None:
        if isinstance(sighting.hub, HubFile):
            self._begun = True
        # A hub on the line says itself what it guards.
        if self.gates is not None and (self._link is None or not self._link.is_up):
            self.gates.keep(sighting)

    def _up(self, dialer: Dialer, link: Link, welcome: Json) -> None:
        dialer.up()
        self._stuck_looks = 0
        self._told = b""
        self._ledger.attached += 1
        if self.gates is not None:
            self.gates.announce(welcome.get("gates"))
        self._delivery.attach()
        for question in self.questions.waiting():
            self._put(question, link)
        self._second_at = self._pump_at = 0.0

    def _down(self) -> None:
        if self.gates is not None and self._dialer is not None:
            self.gates.keep(self._dialer.sighting)
        self._delivery.detach()

    def _hear(self, frame: Json) -> None:
        kind = frame.get("type")
        if kind == "ack":
            if self._delivery.acknowledge(frame.get("n")) and self._dialer is not None:
                self._dialer.progressed()
                self._pump_at = 0.0
        elif kind in ("verdict", "transformed", "late", "approved"):
            self.questions.hear(frame)
        elif kind == "effects":
            told = self._hear_effects(frame)
            if told:
                self.say({"type": "delivered", "ids": told})
        elif kind == "refused":
            self._delivery.refuse(frame.get("n"))
        elif kind == "gates" and self.gates is not None:
            self.gates.announce(frame.get("gates"))
        elif kind == "report":
            self.say({"type": "handlers", "handlers": self._options.handlers() if self._options.handlers is not None else []})

    def _every_second(self, dialer: Dialer) -> None:
        link = dialer.link
        if isinstance(self._backlog, DurableBacklog):
            self._backlog.segments.empty()
        if dialer.away_s > _PATIENCE_S:
            self.questions.fail_all(lambda question: nobody() if question.kind == "approve" else None)
        if link is None or not link.is_up:
            return
        self._stuck_looks = self._stuck_looks + 1 if link.is_stuck() else 0
        if self._stuck_looks >= _MAX_STUCK_LOOKS:
            return dialer.lose(unreachable(link.file.line, f"the hub has read nothing for {_MAX_STUCK_LOOKS} s"))
        silent = int(self._delivery.silent_s)
        if silent >= _SILENT_S:
            self.report(unreachable(link.file.line, f"the hub has acknowledged nothing for {silent} s").error)
        # A backlog that could give nothing a moment ago is asked again.
        self._pump_at = 0.0
        self._tell_counters(link)

    def _tell_counters(self, link: Link) -> None:
        counters = self.counters
        row = {"accepted": counters.accepted, "acked": counters.acked, "pending": counters.pending}
        text = dumps({"type": "counters", **row, "dropped": dict(counters.dropped), "seq": counters.seq}).encode() + b"\n"
        # A hub that stands still is not to find a heap of them.
        if text != self._told and link.unwritten == 0:
            self._told = text
            link.write(text)

    def _spool_rest(self) -> None:
        self._delivery.detach()
        left, rest = self._backlog.release()
        self._ledger.spooled += left
        spool_at_exit(rest, self._writer, self._options.max_spool_bytes, self._ledger, self._write_line, self.report)
        self._writer.close()
        self._delivery.check()

    def _put(self, question: Question, link: Link) -> None:
        """At once, whatever else waits to be sent."""
        if link.unwritten > _MAX_UNWRITTEN:
            return self.questions.fail(question, overloaded())
        return link.write(question.line())

    def _unanswered(self, question: Question, guard: Optional[str]) -> HookError:
        event, limit = question.event, int(question.timeout_ms)
        if question.kind == "approve":
            return HookError("HL_APPROVAL_TIMEOUT", "no person answered in time.", event=event, failure="timeout")
        if self._link is not None and self._link.is_up:
            who = "The hub" if guard is None else f'The hub\'s guard "{guard}"'
            late = f'{who} did not answer "{event}" within {limit} ms.'
            return HookError("HL_TIMEOUT", late, fix="Run: hookline status", event=event, failure="timeout")
        fix = "Run: hookline up; to go on without a hub: hookline down" if question.ends_with_files else "Run: hookline up"
        why = "there is no hub" if self._dialer is None else self._dialer.why()
        return HookError("HL_HUB_UNREACHABLE", f'The hub cannot be asked about "{event}": {why}.', fix=fix, event=event, failure="crash")

    def _wake(self) -> None:
        if threading.current_thread() is self._thread:
            return
        try:
            os.write(self._wake_write, b"x")
        except OSError:
            # The pipe is full of wake-ups, or the process ends.
            pass


def _drain(fd: int) -> None:
    try:
        while os.read(fd, 4_096):
            pass
    except OSError:
        pass
