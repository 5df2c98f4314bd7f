"""Reads the hub's answers. What cannot be understood is nothing, and the question has failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ._text import inert_lines, inert_text
from .reminders import check_reminder
from .types import Json

VERDICTS = ("pass", "allow", "ask", "deny")
_KINDS = ("guard", "rule", "hook", "person", "hub", "policy")
_MAX_STEPS = 64
_MAX_NAME = 200
_MAX_REASON = 500
#: Says that there is no value, where `None` is one.
MISSING = object()


@dataclass
class Effects:
    injections: List[str] = field(default_factory=list)
    reminders: List[Json] = field(default_factory=list)


@dataclass
class Answer(Effects):
    verdict: str = "pass"
    reason: Optional[str] = None
    actor: Optional[Json] = None
    asks: List[Json] = field(default_factory=list)
    #: The rewritten payload, or the new value of a transform.
    value: Any = MISSING
    end_loop: bool = False
    cause: Optional[str] = None
    steps: List[Json] = field(default_factory=list)


def read_verdict(frame: Json) -> Optional[Answer]:
    effects = read_effects(frame)
    # A hub of an earlier version calls it `decision`. Of two that differ a deny counts; every other pair says nothing.
    said = {frame[key] for key in ("verdict", "decision") if isinstance(frame.get(key), str)}
    if frame.get("type") != "verdict" or effects is None or not said or not said <= set(VERDICTS):
        return None
    if len(said) > 1 and "deny" not in said:
        return None
    verdict = "deny" if "deny" in said else said.pop()
    payload = frame.get("payload", MISSING)
    is_sound = all(isinstance(frame.get(key, ""), str) for key in ("reason", "by")) and isinstance(frame.get("endLoop", False), bool)
    if not is_sound or not (payload is MISSING or isinstance(payload, dict)):
        return None
    first = _read_ask(frame)
    asks = [ask for ask in map(_read_ask, _list(frame.get("asks"))) if ask is not None] if verdict == "ask" else []
    return Answer(
        effects.injections,
        effects.reminders,
        verdict=verdict,
        reason=inert_lines(frame["reason"]) if "reason" in frame else None,
        actor=None if first is None else first["actor"],
        asks=asks or ([first] if verdict == "ask" and first is not None else []),
        value=MISSING if verdict == "deny" else payload,
        end_loop=frame.get("endLoop") is True,
        cause=frame["cause"] if isinstance(frame.get("cause"), str) else None,
        steps=read_steps(frame.get("trail")),
    )


def read_transformed(frame: Json) -> Optional[Answer]:
    effects = read_effects(frame)
    if frame.get("type") != "transformed" or effects is None:
        return None
    return Answer(
        effects.injections, effects.reminders, value=frame.get("value", MISSING), steps=read_steps(frame.get("trail"))
    )


def read_effects(frame: Json) -> Optional[Effects]:
    injections, reminders = frame.get("injections", []), frame.get("reminders", [])
    if not isinstance(injections, list) or not all(isinstance(text, str) for text in injections) or not isinstance(reminders, list):
        return None
    try:
        specs = [check_reminder(spec) for spec in reminders]
    except Exception:
        return None
    shown = [{**spec, "body": inert_lines(spec["body"])} for spec in specs]
    return Effects([inert_lines(text) for text in injections], shown)


def read_steps(trail: Any) -> List[Json]:
    """They are only shown, so what is not a step is left out."""
    steps = (_read_step(step) for step in _list(trail)[:_MAX_STEPS])
    return [step for step in steps if step is not None]


def read_actor(given: Any) -> Optional[Json]:
    """The actor at the hub; nothing for what is not an actor."""
    if not isinstance(given, dict) or given.get("kind") not in _KINDS or not isinstance(given.get("name"), str):
        return None
    actor = {"kind": given["kind"], "name": inert_text(given["name"][:_MAX_NAME])}
    if isinstance(given.get("owner"), str):
        actor["owner"] = inert_text(given["owner"][:_MAX_NAME])
    return {**actor, "at": "hub"}


def _read_ask(given: Any) -> Optional[Json]:
    if not isinstance(given, dict):
        return None
    actor = read_actor(given.get("actor"))
    if actor is None and isinstance(given.get("by"), str):
        # A hub of an earlier version names its guards, and says no more of them.
        actor = read_actor({"kind": "guard", "name": given["by"]})
    if actor is None:
        return None
    ask: Dict[str, Any] = {"by": actor["name"], "actor": actor}
    if isinstance(given.get("reason"), str):
        ask["reason"] = inert_lines(given["reason"])
    return ask


def _read_step(step: Any) -> Optional[Json]:
    if not isinstance(step, dict):
        return None
    actor, stage, number, action = read_actor(step.get("actor")), step.get("stage"), step.get("round"), step.get("action")
    if actor is None or not isinstance(stage, str) or not isinstance(action, str) or type(number) is not int or number < 0:
        return None
    read: Json = {"actor": actor, "stage": stage[:_MAX_NAME], "round": number, "action": action[:_MAX_NAME]}
    for key, limit in (("reason", _MAX_REASON), ("failure", _MAX_NAME)):
        if isinstance(step.get(key), str):
            read[key] = step[key][:limit]
    duration = step.get("durationMs")
    if isinstance(duration, (int, float)) and not isinstance(duration, bool) and duration >= 0:
        read["durationMs"] = duration
    return read


def _list(given: Any) -> List[Any]:
    return given if isinstance(given, list) else []
