"""Text from elsewhere, made inert: what a terminal would act on, or a reader not see, is written out, such as `\\x1b`."""

from __future__ import annotations

import unicodedata

_IGNORED = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: After these a joiner or a variation selector belongs to an emoji or a script that needs it.
_JOINED = ("So", "Sk", "Lo", "Mn", "Mc")


def inert_text(text: str) -> str:
    return _replaced(text, "")


def inert_lines(text: str) -> str:
    """The same for text of several lines: line ends and tabs stay."""
    return _replaced(text.replace("\r\n", "\n"), "\n\t")


def _replaced(text: str, kept: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    before = ""
    result = []
    for sign in text:
        result.append(_written(sign) if sign not in kept and _is_active(sign, before) else sign)
        before = sign
    return "".join(result)


def _is_active(sign: str, before: str) -> bool:
    code = ord(sign)
    is_ignored = code in _IGNORED or 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE0FFF
    if not is_ignored and unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return False
    is_joiner = code in (0x200C, 0x200D, 0xFE0F)
    return not (is_joiner and before != "" and (unicodedata.category(before) in _JOINED or before == "\ufe0f"))


def _written(sign: str) -> str:
    code = ord(sign)
    if code > 0xFFFF:
        return f"\\u{{{code:x}}}"
    return _SHORT.get(sign, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
