"""JSON of any value: what JSON cannot carry becomes a marker, `{"$hookline": …}`, and nothing ever raises."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import pathlib
import uuid
from collections.abc import Mapping, Set
from decimal import Decimal
from enum import Enum
from typing import Any, List

MAX_DEPTH = 64
MAX_NODES = 100_000
_MAX_SAFE = 2**53 - 1


def dumps(value: Any) -> str:
    """Compact JSON of plain data. Half of a surrogate pair is written as an escape, because UTF-8 has no bytes for it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text


def payload_text(payload: Any, max_nodes: int = MAX_NODES, max_depth: int = MAX_DEPTH) -> str:
    """The payload's JSON as it is now: the agent may go on to change it."""
    try:
        if is_exact(payload, max_depth, [max_nodes]):
            return dumps(payload)
    except Exception:
        # Another thread changes it, or it is not what it seems: the copy says what could not be read.
        pass
    try:
        return dumps(copy_json_safe(payload, max_nodes, max_depth))
    except Exception:
        return '{"$hookline":"size"}'


def copy_json_safe(value: Any, max_nodes: int = MAX_NODES, max_depth: int = MAX_DEPTH) -> Any:
    return Walk(max_nodes, max_depth).read(value)


def is_exact(value: Any, depth: int, budget: List[int]) -> bool:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_MAX_SAFE <= value <= _MAX_SAFE
    if kind is float:
        return math.isfinite(value)
    if depth < 1:
        return False
    if kind is dict:
        for key, member in value.items():
            budget[0] -= 1
            if type(key) is not str or budget[0] < 0 or not is_exact(member, depth - 1, budget):
                return False
        return True
    if kind is list or kind is tuple:
        for member in value:
            budget[0] -= 1
            if budget[0] < 0 or not is_exact(member, depth - 1, budget):
                return False
        return True
    return False


class Walk:
    def __init__(self, max_nodes: int, max_depth: int) -> None:
        self.left = max_nodes
        self.max_depth = max_depth
        self.ancestors: List[int] = []

    def read(self, value: Any) -> Any:
        depth = len(self.ancestors)
        try:
            return self.copy(value)
        except Exception as error:
            return mark("unreadable", message=_words(error))
        finally:
            del self.ancestors[depth:]

    def copy(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.copy(value.value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int(value) if -_MAX_SAFE <= value <= _MAX_SAFE else mark("bigint", value=str(int(value)))
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else mark("number", value=repr(float(value)))
        if isinstance(value, (bytes, bytearray, memoryview)):
            return mark("bytes", byteLength=len(bytes(value)))
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, (pathlib.PurePath, uuid.UUID, Decimal)):
            return str(value)
        if isinstance(value, BaseException):
            return {"name": type(value).__name__, "message": _words(value)}
        return self.container(value)

    def container(self, value: Any) -> Any:
        if id(value) in self.ancestors:
            return mark("cycle")
        if len(self.ancestors) >= self.max_depth:
            return mark("depth")
        plain = _plain(value)
        self.ancestors.append(id(value))
        if isinstance(plain, Mapping):
            return self.mapping(plain)
        if isinstance(plain, (list, tuple)):
            return self.members(plain)
        if isinstance(plain, Set):
            self.ancestors.append(id(value))
            return mark("set", entries=self.members(plain))
        if callable(plain):
            return mark("function", name=str(getattr(plain, "__name__", "")))
        return mark("unreadable", message=f"a value of type {type(value).__name__} cannot be written as JSON")

    def mapping(self, value: Any) -> Any:
        result = {}
        for key, member in list(value.items()):
            self.left -= 1
            name = key if type(key) is str else key_text(key)
            if self.left < 0:
                result[name] = mark("size")
                break
            result[name] = self.read(member)
        return result

    def members(self, value: Any) -> List[Any]:
        result: List[Any] = []
        for member in list(value):
            self.left -= 1
            if self.left < 0:
                result.append(mark("size"))
                break
            result.append(self.read(member))
        return result


def _plain(value: Any) -> Any:
    """The data of an object: of a dataclass, a named tuple, or a model of Pydantic."""
    if isinstance(value, type):
        return value
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for name in ("_asdict", "model_dump"):
        dump = getattr(value, name, None)
        if callable(dump):
            return dump()
    return value


def key_text(key: Any) -> str:
    if isinstance(key, Enum):
        return key_text(key.value)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str.__str__(key) if isinstance(key, str) else str(key)


def mark(kind: str, **details: Any) -> dict:
    return {"$hookline": kind, **details}


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
