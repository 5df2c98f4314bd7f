"""Keeps a payload within a size. Long texts are cut first, so that names and ids stay readable."""

from __future__ import annotations

from typing import Any

from ._json import dumps

_TEXT_SHARES = (1 / 2, 1 / 8, 1 / 32, 1 / 128)
#: A text that will be cut anyway is not searched for secrets to its end.
_SEARCHED = 4
#: A secret that the cut went through no longer has its shape.
_LONGEST_SECRET = 4_096


def cap_payload(payload: Any, max_bytes: int) -> Any:
    if _bytes_of(payload) <= max_bytes:
        return payload
    for share in _TEXT_SHARES:
        cut = cut_texts(payload, int(max_bytes * share))
        if _bytes_of(cut) <= max_bytes:
            return cut
    return {"$hookline": "truncated", "bytes": _bytes_of(payload)}


def cut_for_search(payload: Any, max_bytes: int) -> Any:
    """The payload with its longest texts cut to what redaction searches. `drop_cut_ends` has to follow the redaction."""
    return cut_texts(payload, max_bytes * _SEARCHED)


def cut_texts(node: Any, max_bytes: int) -> Any:
    """A copy in which every longer text is a marker with its beginning."""
    if isinstance(node, str):
        size = len(node.encode("utf-8", "surrogatepass"))
        return node if size <= max_bytes else {"$hookline": "truncated", "bytes": size, "text": cut_text(node, max_bytes)}
    if isinstance(node, list):
        return [cut_texts(item, max_bytes) for item in node]
    if isinstance(node, dict):
        if _is_cut(node):
            return {**node, "text": cut_text(node["text"], max_bytes)}
        return {key: cut_texts(value, max_bytes) for key, value in node.items()}
    return node


def cut_text(text: str, max_bytes: int) -> str:
    """The longest beginning that fits into so many bytes of UTF-8, without half a character."""
    data = text[:max_bytes].encode("utf-8", "surrogatepass")[:max_bytes]
    return data.decode("utf-8", "ignore")


def drop_cut_ends(node: Any) -> Any:
    if isinstance(node, list):
        return [drop_cut_ends(item) for item in node]
    if isinstance(node, dict):
        if _is_cut(node):
            return {**node, "text": node["text"][:-_LONGEST_SECRET]}
        return {key: drop_cut_ends(value) for key, value in node.items()}
    return node


def _is_cut(node: dict) -> bool:
    return node.get("$hookline") == "truncated" and isinstance(node.get("text"), str)


def _bytes_of(value: Any) -> int:
    return len(dumps(value).encode("utf-8"))
