"""An event on its way out, and the line it leaves as."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from ._cap import cap_payload, cut_for_search, drop_cut_ends
from ._json import dumps, payload_text
from ._link import MAX_LINE_BYTES
from ._redact import Redactor, hide_secrets_in, redacted
from .errors import HookError, Report

if TYPE_CHECKING:
    from ._spool import Segment

#: What an envelope weighs around its payload, about.
_FRAME_BYTES = 320
_TOO_MUCH = b'{"$hookline":"size"}'


class Outgoing:
    """What was taken when the event happened and, once that is made, its line."""

    __slots__ = ("order", "rank", "size", "parts", "line", "segment", "is_refused")

    def __init__(self, order: int, rank: int, size: int, parts: Optional[Dict[str, Any]], line: Optional[bytes] = None) -> None:
        self.order = order
        self.rank = rank
        self.size = size
        self.parts = parts
        self.line = line
        #: Where it is kept on disk.
        self.segment: Optional["Segment"] = None
        self.is_refused = False


def take_event(
    order: int,
    rank: int,
    *,
    id: str,
    at: float,
    event: str,
    payload: Any,
    session: Optional[Dict[str, Any]] = None,
    decision: Optional[Dict[str, Any]] = None,
    asked: Any = None,
) -> Outgoing:
    """All that happens while the caller waits: a copy in one piece of text, everything else later."""
    text = payload_text(payload)
    asked_text = None if asked is None else payload_text(asked, max_depth=62)
    parts = {"id": id, "at": at, "event": event, "payload": text, "session": session, "decision": decision, "asked": asked_text}
    size = len(text) + len(asked_text or "") + _FRAME_BYTES + (len(dumps(decision)) if decision is not None else 0)
    return Outgoing(order, rank, size, parts)


class LineWriter:
    """Makes the line of an event: without secrets and within its size. Nothing for one that is too long for a line."""

    def __init__(self, source: Dict[str, Any], redactor: Redactor, redact_secrets: bool, max_payload_bytes: int, report: Report) -> None:
        self._source = dumps(source).encode()
        self._hops = dumps([source["instance"]]).encode()
        self._redactor = redactor
        self._secrets = redact_secrets
        self._max = max_payload_bytes
        self._report = report

    def __call__(self, item: Outgoing) -> Optional[bytes]:
        if item.parts is not None:
            item.line = self._write(item.order, item.parts, item.parts["asked"])
            if item.parts["asked"] is not None and len(item.line) > MAX_LINE_BYTES:
                # The decision is kept, even if the payload before it cannot be.
                item.line = self._write(item.order, {**item.parts}, None, _TOO_MUCH)
            item.parts = None
        return None if item.line is None or len(item.line) > MAX_LINE_BYTES else item.line

    def _write(self, order: int, parts: Dict[str, Any], asked: Optional[str], asked_bytes: Optional[bytes] = None) -> bytes:
        head = f'{{"v":2,"id":"{parts["id"]}","seq":{order},"at":"{time_text(parts["at"])}","event":{dumps(parts["event"])},"source":'
        line = [head.encode(), self._source]
        if parts["session"] is not None:
            line += [b',"session":', dumps(parts["session"]).encode()]
        line += [b',"payload":', self._fit(parts["payload"])]
        if parts["decision"] is not None:
            decision = dumps(self._hidden(parts["decision"])).encode()
            kept = asked_bytes if asked is None else self._fit(asked)
            line += [b',"decision":', decision if kept is None else decision[:-1] + b',"asked":' + kept + b"}"]
        return b"".join([*line, b',"hops":', self._hops, b"}"])

    def _fit(self, text: str) -> bytes:
        data = text.encode("utf-8")
        if len(data) <= self._max and self._redactor.changes_nothing(data):
            return data
        try:
            return dumps(self._prepared(json.loads(text))).encode("utf-8")
        except Exception as error:
            self._report(HookError("HL_REDACT_FAILED", f"A payload could not be redacted, so all of it is hidden: {error}"))
            return dumps(redacted()).encode()

    def _prepared(self, payload: Any) -> Any:
        cut = cut_for_search(payload, self._max)
        shown = self._redactor.apply(cut)
        return cap_payload(drop_cut_ends(shown) if cut != payload else shown, self._max)

    def _hidden(self, decision: Dict[str, Any]) -> Dict[str, Any]:
        """Guards like to quote what they refuse."""
        if not self._secrets:
            return decision
        shown = {**decision}
        if "reason" in shown:
            shown["reason"] = hide_secrets_in(shown["reason"])
        if "trail" in shown:
            shown["trail"] = [{**step, "reason": hide_secrets_in(step["reason"])} if "reason" in step else step for step in shown["trail"]]
        return shown


def time_text(at: float) -> str:
    seconds, ms = divmod(int(at * 1_000), 1_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{ms:03d}Z"


Writer = Callable[[Outgoing], Optional[bytes]]
Items = List[Outgoing]
