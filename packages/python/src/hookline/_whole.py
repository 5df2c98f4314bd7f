"""JSON for somebody who must see all of a value, with a list of what it does not say."""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import math
import types
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Dict, List, NamedTuple, Tuple
from uuid import UUID

from ._json import MAX_DEPTH, Walk, dumps, is_exact, key_text, mark

#: Of bytes in a value. In base64 they leave room in a line.
MAX_BYTES = 1024 * 1024
_MAX_NODES = 2_000_000
_MAX_LOSSES = 20
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter, types.MappingProxyType)
_LISTS = (list, tuple, collections.deque, range, type({}.values()))
_SETS = (set, frozenset, type({}.keys()), type({}.items()))
_SCALARS = (str, int, float, Decimal, UUID, PurePath, datetime.date, datetime.time, datetime.timedelta)


class Loss(NamedTuple):
    path: Tuple[Any, ...]
    #: `depth`, `size`, `fields`, `unreadable`, or the name of a type.
    kind: str
    message: str = ""


class Encoded(NamedTuple):
    text: str
    #: Empty where a reader of the text has seen all there is.
    lost: List[Loss]


def encode(value: Any, max_bytes: int = MAX_BYTES) -> Encoded:
    """Carries what JSON has no word for: sets, big numbers, exceptions with their causes, and bytes, as text if they are UTF-8, else in base64."""
    try:
        if is_exact(value, MAX_DEPTH, [_MAX_NODES]):
            return Encoded(dumps(value), [])
    except Exception:
        # Another thread changes it, or it is not what it seems: the copy says what could not be read.
        pass
    walk = _WholeWalk(max_bytes)
    try:
        return Encoded(dumps(walk.read(value)), walk.lost)
    except Exception:
        return Encoded('{"$hookline":"size"}', [Loss((), "size")])


def loss_text(lost: List[Loss]) -> str:
    """Where the first loss is, and why: `tool.input.rows[2]: a value of type object cannot be written as JSON`."""
    path, kind, message = lost[0]
    reasons = {
        "depth": f"it is nested deeper than {MAX_DEPTH} levels",
        "size": "it has more than 2,000,000 values, or too many bytes",
        "fields": "it has attributes that JSON leaves out",
        "unreadable": message or "it cannot be read",
    }
    return f"{_path_text(path)}: {reasons.get(kind, f'a value of type {kind} cannot be written as JSON')}"


def _path_text(path: Tuple[Any, ...]) -> str:
    """`tool.input.rows[2]`; a long one is cut."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
    return (text if len(text) <= 120 else f"{text[:120]}…") or "the value"


class _WholeWalk(Walk):
    def __init__(self, max_bytes: int) -> None:
        super().__init__(_MAX_NODES, MAX_DEPTH)
        self.lost: List[Loss] = []
        self._path: List[Any] = []
        self._bytes = max_bytes

    def read(self, value: Any) -> Any:
        marked = super().read(value)
        if isinstance(marked, dict) and marked.get("$hookline") == "unreadable" and not self._is_lost():
            self._lose("unreadable", marked.get("message", ""))
        return marked

    def _is_lost(self) -> bool:
        return bool(self.lost) and self.lost[-1].path == tuple(self._path)

    def copy(self, value: Any) -> Any:
        if isinstance(value, (bytes, bytearray, memoryview)):
            self._check_attributes(value)
            return self._bytes_of(bytes(value))
        if isinstance(value, BaseException):
            return self._error(value)
        if isinstance(value, datetime.timedelta):
            return str(value)
        if isinstance(value, Enum):
            return self.copy(value.value)
        if isinstance(value, _SCALARS):
            self._check_attributes(value)
        return super().copy(value)

    def container(self, value: Any) -> Any:
        if id(value) in self.ancestors:
            return mark("cycle")
        if len(self.ancestors) >= self.max_depth:
            self._lose("depth")
            return mark("depth")
        self.ancestors.append(id(value))
        kind = type(value)
        if isinstance(value, _MAPPINGS) and kind in _MAPPINGS:
            self._check_attributes(value)
            return self.mapping(value)
        if kind in _LISTS:
            return self.members(value)
        if kind in _SETS:
            self.ancestors.append(id(value))
            return mark("set", entries=self.members(value))
        fields = _fields_of(value)
        if fields is not None:
            if fields.hides:
                self._lose("fields")
            return self.mapping(fields.values)
        self._lose(kind.__name__)
        return mark("unreadable", message=f"a value of type {kind.__name__} cannot be written as JSON")

    def mapping(self, value: Any) -> Any:
        items = list(value.items())
        names = [_name(key) for key, _ in items]
        if None in names or len(set(names)) < len(names):
            # Keys that are not text, or that would be one and the same.
            self.ancestors.append(id(value))
            return mark("map", entries=self.members([[key, member] for key, member in items]))
        return {name: self._member(name, member) for name, (_, member) in zip(names, items)}

    def members(self, value: Any) -> List[Any]:
        return [self._member(index, member) for index, member in enumerate(list(value))]

    def _member(self, key: Any, value: Any) -> Any:
        self.left -= 1
        self._path.append(key)
        try:
            if self.left < 0:
                self._lose("size")
                return mark("size")
            return self.read(value)
        finally:
            self._path.pop()

    def _bytes_of(self, value: bytes) -> Any:
        self._bytes -= len(value)
        if self._bytes < 0:
            self._lose("size")
            return mark("bytes", byteLength=len(value))
        try:
            return mark("bytes", byteLength=len(value), text=value.decode("utf-8"))
        except UnicodeDecodeError:
            return mark("bytes", byteLength=len(value), base64=base64.b64encode(value).decode("ascii"))

    def _error(self, error: BaseException) -> Any:
        if id(error) in self.ancestors:
            return mark("cycle")
        self.ancestors.append(id(error))
        told: Dict[str, Any] = {"name": type(error).__name__, "message": str(error), "args": list(error.args)}
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is not None:
            told["cause"] = cause
        if hasattr(error, "exceptions"):
            told["errors"] = list(error.exceptions)
        return self.mapping({**told, **vars(error)})

    def _check_attributes(self, value: Any) -> None:
        if getattr(value, "__dict__", None):
            self._lose("fields")

    def _lose(self, kind: str, message: str = "") -> None:
        if len(self.lost) < _MAX_LOSSES:
            self.lost.append(Loss(tuple(self._path), kind, message))


class _Fields(NamedTuple):
    values: Dict[str, Any]
    #: It has something that is not among its fields.
    hides: bool


def _fields_of(value: Any) -> Any:
    """The fields of a dataclass, a named tuple or a model of Pydantic; nothing for any other object."""
    if isinstance(value, type):
        return None
    own = getattr(value, "__dict__", {})
    if dataclasses.is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _Fields(values, not set(own) <= set(values))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _Fields(dict(zip(value._fields, tuple(value))), bool(own) or len(value) != len(value._fields))
    if hasattr(value, "__pydantic_fields__") or hasattr(value, "__pydantic_fields_set__"):
        # Not `model_dump`, which leaves out what a field excludes.
        private = getattr(value, "__pydantic_private__", None)
        return _Fields({**own, **(getattr(value, "__pydantic_extra__", None) or {})}, bool(private))
    return None


def _name(key: Any) -> Any:
    """A key as the name of a field; nothing for one that is more than its text."""
    if isinstance(key, Enum):
        return _name(key.value)
    is_plain = key is None or type(key) in (str, int, bool) or (type(key) is float and math.isfinite(key))
    return key_text(key) if is_plain else None


def read_markers(value: Any) -> Any:
    """JSON from the hub with what its markers stand for: a value that a rule has changed in one place is otherwise what it was."""
    if isinstance(value, list):
        return [read_markers(member) for member in value]
    if not isinstance(value, dict):
        return value
    fields = {name: read_markers(member) for name, member in value.items()}
    try:
        return _unmarked(fields)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        # It has the name of a marker, and is none: a tool may write anything.
        return fields


def _unmarked(fields: Dict[str, Any]) -> Any:
    kind, entries = fields.get("$hookline"), fields.get("entries")
    if kind == "bytes" and isinstance(fields.get("text"), str):
        return fields["text"].encode("utf-8")
    if kind == "bytes" and isinstance(fields.get("base64"), str):
        return base64.b64decode(fields["base64"])
    if kind == "bigint":
        return int(fields["value"])
    if kind == "number":
        return float(fields["value"])
    if kind == "set" and isinstance(entries, list):
        return set(entries)
    if kind == "map" and isinstance(entries, list):
        return dict(entries)
    return fields
