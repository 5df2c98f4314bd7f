"""A rewrite may change what a tool gets, and not which tool it is: the guards of the other tool would not have seen it."""

from __future__ import annotations

from typing import Any, Mapping

from .errors import HookError
from .types import Json

_IDENTITY = ("name", "runtimeName", "callId")
# What an event is about. A rewrite may say other things here; one that says nothing means the same.
_ABOUT = ("session", "turn", "agent", "worker")


def rewritten(current: Json, payload: Any) -> Json:
    """The payload to go on with. Raises `HL_BAD_MODIFY`."""
    if not isinstance(payload, Mapping):
        raise _malformed("a rewrite must be a whole payload")
    about = {key: current[key] for key in _ABOUT if current.get(key) is not None and payload.get(key) is None}
    before, after = current.get("tool"), payload.get("tool")
    if not isinstance(before, Mapping):
        return {**payload, **about}
    if not isinstance(after, Mapping):
        raise _malformed("the rewrite has no tool, but the call has")
    kept = {}
    for key in _IDENTITY:
        if before.get(key) == after.get(key):
            continue
        if after.get(key) is not None:
            raise _malformed(f"a rewrite cannot change the tool's {key} from {str(before.get(key))[:60]!r} to {str(after[key])[:60]!r}")
        kept[key] = before[key]
    if before.get("input") is not None:
        if after.get("input") is None:
            raise _malformed("the rewrite has no tool.input, but the call has")
        if isinstance(before["input"], Mapping) != isinstance(after["input"], Mapping):
            raise _malformed("the tool's input must stay an object")
    return {**payload, **about, "tool": {**after, **kept}}


def _malformed(why: str) -> HookError:
    return HookError("HL_BAD_MODIFY", why, failure="invalid_verdict")
