"""What is hidden in copies of an event: the values of secret names, what has the shape of a secret, and what the caller names."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from ._catalog import load_data
from ._json import copy_json_safe
from .errors import HookError, Report

Redact = Union[None, Sequence[str], Callable[[Any], Any]]

_data = load_data("secrets.json")
_words: Dict[str, List[str]] = _data["names"]
_SECRET = re.compile(f"{'|'.join(_words['anywhere'])}|(?:{'|'.join(_words['atEnd'])})$|^(?:{'|'.join(_words['alone'])})$")
_NOT_NAME = re.compile(r"[^A-Za-z0-9]")
#: No shape matches anything shorter than `pwd=abcd`.
_SHORTEST = 8


class _Shape:
    def __init__(self, row: Dict[str, Any]) -> None:
        self.name: str = row["name"]
        self.words = [word.encode() for word in row["words"]]
        self._row = row
        self.keeps = "(?P<keep>" in row["pattern"]

    @cached_property
    def pattern(self) -> "re.Pattern[str]":
        """Compiled at the first use: most processes need few of them."""
        return re.compile(self._row["pattern"], re.ASCII | (re.IGNORECASE if self._row["isAnyCase"] else 0))

    def hide(self, text: str) -> str:
        return self.pattern.sub(self._replace, text)

    def _replace(self, found: "re.Match[str]") -> str:
        kept = (found.group("keep") or "") if self.keeps else ""
        return f"{kept}[redacted {self.name}]"


_shapes = [_Shape(row) for row in _data["shapes"]]


def redacted() -> Dict[str, str]:
    return {"$hookline": "redacted"}


@lru_cache(maxsize=4_096)
def is_secret_name(name: str) -> bool:
    """`apiKey`, `GITHUB_TOKEN`, `x-api-key` and their like; not `maxTokens` or `tokenizer`."""
    return _SECRET.search(_NOT_NAME.sub("", name).lower()) is not None


def shapes_in(data: bytes) -> List[_Shape]:
    """The shapes that a text can hold, by their words. One whose words are single letters is found by its dots."""
    lower = data.lower()
    return [shape for shape in _shapes if (not shape.words and data.count(b".") > 1) or any(word in lower for word in shape.words)]


def hide_secrets_in(text: str) -> str:
    """The text with what looks like a secret replaced by `[redacted github-token]` and the like."""
    if len(text) < _SHORTEST:
        return text
    for shape in shapes_in(text.encode("utf-8", "surrogatepass")):
        text = shape.hide(text)
    return text


_DROPPED = bytes(range(256)).translate(None, b'"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
_LOWER = bytes(range(256)).lower()
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_STEMS = [re.sub(r"\W.*", "", word).encode() for word in _words["anywhere"]]
_STEMS += [f'{word}"'.encode() for word in _words["atEnd"]] + [f'"{word}"'.encode() for word in _words["alone"]]


def may_hold_secret_name(data: bytes) -> bool:
    """Whether JSON may hold a secret name. It may say yes without one, and never says no with one."""
    names = (_ESCAPE.sub(b"", data) if b"\\" in data else data).translate(_LOWER, _DROPPED)
    return any(stem in names for stem in _STEMS)


class Redactor:
    def __init__(self, redact: Redact, redact_secrets: bool, report: Report) -> None:
        self._secrets = redact_secrets
        self._custom: Optional[Callable[[Any], Any]] = redact if callable(redact) else None
        self._paths = [] if redact is None or callable(redact) else [keys for path in redact for keys in _compile(path)]
        self._report = report
        self.is_plain = not self._paths and self._custom is None

    def changes_nothing(self, data: bytes) -> bool:
        """Whether a payload's JSON can stay as it is."""
        return self.is_plain and not (self._secrets and (may_hold_secret_name(data) or shapes_in(data)))

    def apply(self, payload: Any) -> Any:
        """Of plain data of its own, which it changes."""
        if self._secrets:
            hide_secrets(payload)
            payload = hide_secret_text(payload)
        for keys in self._paths:
            payload = _hide_path(payload, keys)
        return payload if self._custom is None else self._customised(self._custom, payload)

    def _customised(self, change: Callable[[Any], Any], payload: Any) -> Any:
        try:
            result = change(payload)
        except Exception as error:
            message = f"The redact function failed, so a whole payload is hidden: {error}"
            self._report(HookError("HL_REDACT_FAILED", message))
            return redacted()
        return redacted() if result is None else copy_json_safe(result)


def hide_secrets(node: Any) -> None:
    """Replaces the values of secret-looking names, in place."""
    if isinstance(node, list):
        return _hide_in_list(node)
    if not isinstance(node, dict):
        return None
    name = node["name"] if node.get("name") is not None else node.get("key")
    if isinstance(name, str) and _is_telling(node.get("value")) and is_secret_name(name):
        node["value"] = redacted()
    for key, value in node.items():
        if _is_telling(value) and is_secret_name(key):
            node[key] = redacted()
        else:
            hide_secrets(value)
    return None


def _hide_in_list(items: List[Any]) -> None:
    # Pairs (`["authorization", "…"]`) and flags (`"--token", "…"`).
    for index, item in enumerate(items):
        is_name = isinstance(item, str) and (item.startswith("-") or (index == 0 and len(items) == 2)) and is_secret_name(item)
        if is_name and index + 1 < len(items) and _is_telling(items[index + 1]):
            items[index + 1] = redacted()
        else:
            hide_secrets(item)


def _is_telling(value: Any) -> bool:
    return value is not None and not isinstance(value, bool) and value != ""


def hide_secret_text(node: Any) -> Any:
    """Searches every text, keys too; gives the data."""
    if isinstance(node, str):
        return hide_secrets_in(node)
    if isinstance(node, list):
        return [hide_secret_text(item) for item in node]
    if isinstance(node, dict):
        return {hide_secrets_in(key): hide_secret_text(value) for key, value in node.items()}
    return node


def _compile(path: str) -> List[Tuple[str, ...]]:
    keys = path.split(".") if isinstance(path, str) else [""]
    if "" in keys:
        raise HookError("HL_BAD_OPTION", f'"redact" has no path in {path!r}.', fix='Write "tool.input.token".')
    if keys[0] == "payload" and len(keys) > 1:
        keys = keys[1:]
    if keys[:2] == ["tool", "args"]:
        return [tuple(keys), ("tool", "input", *keys[2:])]
    if keys[0] == "result":
        rest = keys[1:] if len(keys) > 1 and keys[1] != "text" else keys[2:]
        return [tuple(keys), ("tool", "output", *rest)]
    return [tuple(keys)]


def _hide_path(node: Any, path: Tuple[str, ...]) -> Any:
    if not path:
        return redacted()
    key, rest = path[0], path[1:]
    if isinstance(node, dict):
        for name in list(node) if key == "*" else [key]:
            if name in node:
                node[name] = _hide_path(node[name], rest)
    elif isinstance(node, list):
        for index in range(len(node)) if key == "*" else [int(key)] if key.isdigit() and int(key) < len(node) else []:
            node[index] = _hide_path(node[index], rest)
    return node
