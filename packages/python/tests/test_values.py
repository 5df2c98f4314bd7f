"""JSON of any value, redaction, ids, reminders: what needs no hub."""

import dataclasses
import datetime
import enum
import json
import os
import pathlib
import re
import unittest

from hookline import HookError, ReminderBook
from hookline._cap import cap_payload
from hookline._catalog import ERROR_CODES, find_event
from hookline._ids import IdSource
from hookline._json import payload_text
from hookline._redact import Redactor, hide_secrets_in, is_secret_name
from hookline._rewrite import rewritten
from hookline._text import inert_lines, inert_text
from hookline._whole import encode, loss_text, read_markers


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    where: pathlib.PurePosixPath


class JsonTest(unittest.TestCase):
    def test_values_of_python(self):
        value = {
            "enum": Colour.RED,
            "point": Point(1, pathlib.PurePosixPath("/a")),
            "when": datetime.date(2026, 1, 2),
            "tuple": (1, 2),
            "set": {3},
            "error": ValueError("bad"),
            7: "number",
        }
        expected = {
            "enum": "red",
            "point": {"x": 1, "where": "/a"},
            "when": "2026-01-02",
            "tuple": [1, 2],
            "set": {"$hookline": "set", "entries": [3]},
            "error": {"name": "ValueError", "message": "bad"},
            "7": "number",
        }
        self.assertEqual(json.loads(payload_text(value)), expected)

    def test_what_cannot_be_read_is_not_whole(self):
        class Broken(dict):
            def items(self):
                raise RuntimeError("no")

        for value in (object(), Broken(a=1)):
            self.assertIn(loss_text(encode({"v": value}).lost)[:3], ("v: "))
            self.assertEqual(json.loads(payload_text({"v": value}))["v"]["$hookline"], "unreadable")
        shared = {"a": 1}
        self.assertEqual(encode([shared, shared]), ('[{"a":1},{"a":1}]', []))

    def test_what_the_hub_sends_back_is_what_it_was(self):
        value = {"b": b"a", "binary": b"\xff", "set": {1}, "big": 2**70, "map": {1: 2, "1": 3}, "nan": [float("inf")]}
        text, lost = encode(value)
        self.assertEqual((read_markers(json.loads(text)), lost), (value, []))

    def test_a_payload_is_cut_without_half_a_character(self):
        capped = cap_payload({"id": "kept", "text": "é" * 1_000}, 400)
        self.assertEqual(capped, {"id": "kept", "text": {"$hookline": "truncated", "bytes": 2_000, "text": "é" * 100}})


class RedactTest(unittest.TestCase):
    def test_names(self):
        for name in ("apiKey", "GITHUB_TOKEN", "x-api-key", "client_secret", "pwd", "Set-Cookie"):
            self.assertTrue(is_secret_name(name), name)
        for name in ("maxTokens", "tokenizer", "secretary", "passage", "author"):
            self.assertFalse(is_secret_name(name), name)

    def test_the_quick_check_never_misses(self):
        redactor = Redactor(None, True, lambda error: None)
        for payload in ({"a\npi-key": "x"}, {"K": "my sk-ant-abcdefghijklmnopqrstuvwx"}, [["password", "x"]], {"n": {"name": "token", "value": "x"}}):
            text = payload_text(payload)
            self.assertFalse(redactor.changes_nothing(text.encode()), text)
        self.assertTrue(redactor.changes_nothing(b'{"tool":{"name":"ls","input":{"path":"/tmp"}}}'))

    def test_a_redact_function_that_fails_hides_everything(self):
        errors = []
        redactor = Redactor(lambda payload: payload["missing"], True, errors.append)
        self.assertEqual(redactor.apply({"a": 1}), {"$hookline": "redacted"})
        self.assertEqual(errors[0].code, "HL_REDACT_FAILED")

    def test_time_is_linear_in_hostile_text(self):
        for text in ("a" * 200_000, "token=" * 30_000, "-----BEGIN " * 20_000, "eyJ" * 60_000):
            self.assertIsInstance(hide_secrets_in(text), str)


class SmallTest(unittest.TestCase):
    def test_ids_sort_in_their_order(self):
        source = IdSource()
        made = [source.next() for _ in range(5_000)]
        self.assertEqual(made, sorted(set(made)))
        self.assertRegex(made[0], r"\A[0-9a-z]{23}\Z")

    def test_events(self):
        self.assertEqual(find_event("PreToolUse").name, "tool:before")
        self.assertEqual(find_event("tui:message.delta").rank, 0)
        self.assertEqual(find_event("myapp:x").kind, "observe")
        self.assertIsNone(find_event("Tool:before"))

    def test_text_is_inert(self):
        self.assertEqual(inert_text("a\x1b[2J\n"), "a\\x1b[2J\\n")
        self.assertEqual(inert_lines("a\r\n\tb\u202e"), "a\n\tb\\u202e")
        self.assertEqual(inert_lines("👩‍💻 é"), "👩‍💻 é")

    def test_reminders(self):
        book = ReminderBook()
        book.add({"body": "one", "dedupeKey": " k "}, "s")
        book.add({"body": "<two>", "dedupeKey": "k", "authority": "ops", "propagate": "session"}, "s")
        self.assertEqual(book.render("s"), '<reminders>\n<reminder role="user_block" authority="ops">&lt;two&gt;</reminder>\n</reminders>')
        book.inherit("s", "child")
        self.assertEqual([spec["propagate"] for spec in book.list("child")], ["none"])
        book.compacted("s")
        self.assertEqual(book.list("s"), [])
        with self.assertRaisesRegex(HookError, '"colour".*"size"'):
            book.add({"body": "x", "colour": "red", "size": 3})

    def test_a_partial_rewrite_keeps_what_the_event_is_about(self):
        about = {"session": {"id": "s"}, "turn": {"id": "t"}, "agent": {"name": "a"}}
        self.assertEqual(rewritten({**about, "prompt": "old"}, {"prompt": "new"}), {**about, "prompt": "new"})
        call = {**about, "tool": {"name": "Bash", "callId": "c", "input": {"command": "ls"}}}
        edited = rewritten(call, {"tool": {"input": {"command": "pwd"}}, "session": {"id": "other"}})
        self.assertEqual(edited["session"], {"id": "other"})
        self.assertEqual((edited["turn"], edited["tool"]), (about["turn"], {**call["tool"], "input": {"command": "pwd"}}))

    def test_every_code_is_in_the_reference(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "src", "hookline")
        used = set()
        for path, _, names in os.walk(folder):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        used.update(re.findall(r'"(HL_[A-Z_]+)"', file.read()))
        self.assertGreater(len(used), 15)
        self.assertEqual(used - ERROR_CODES, set())
