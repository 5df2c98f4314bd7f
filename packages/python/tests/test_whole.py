"""What guards cannot see whole does not run, and is not given back: each kind of value, with the rules of a hub."""

import asyncio
import collections
import dataclasses
import datetime
import decimal
import functools
import io
import os
import tempfile
import types
import unittest

import hookline
from hookline._streams import Collector

SECRET = "SECRETWORD"


@dataclasses.dataclass
class Point:
    key: str


class Plain:
    def __init__(self):
        self.key = SECRET


class Slots:
    __slots__ = ("key",)

    def __init__(self):
        self.key = SECRET


class Text(str):
    pass


class Hiding(dict):
    def items(self):
        return [("a", 1)]


class Failed(ValueError):
    def __init__(self, key):
        super().__init__("a")
        self.key = key


class Model:
    """As a model of Pydantic looks: a field that its dump leaves out, and private ones."""

    __pydantic_fields__ = {"key": None}
    __pydantic_extra__ = None

    def __init__(self, private):
        self.__dict__["key"] = SECRET
        object.__setattr__(self, "_private", private)

    @property
    def __pydantic_private__(self):
        return self.__dict__.pop("_private", None)

    def model_dump(self):
        return {}


def with_attribute(value):
    value.key = SECRET
    return value


def with_cause(error, cause):
    error.__cause__ = cause
    return error


def pieces():
    yield "a SECR"
    yield "ETWORD"


async def later():
    yield "a SECR"
    yield "ETWORD"


async def coroutine():
    return SECRET


named = collections.namedtuple("named", "key")

#: Carried whole: a guard sees the secret.
CARRIED = {
    "text": lambda: SECRET,
    "a dict": lambda: {"key": SECRET},
    "a key of a dict": lambda: {SECRET: 1},
    "a key that is a tuple": lambda: {(SECRET, 1): 1},
    "two keys that are the same text": lambda: {1: SECRET, "1": "a"},
    "a defaultdict": lambda: collections.defaultdict(list, key=SECRET),
    "a mapping that is read only": lambda: types.MappingProxyType({"key": SECRET}),
    "a list": lambda: [SECRET],
    "a tuple": lambda: (SECRET,),
    "a named tuple": lambda: named(SECRET),
    "a deque": lambda: collections.deque([SECRET]),
    "a set": lambda: {SECRET},
    "a frozenset": lambda: frozenset([SECRET]),
    "the keys of a dict": lambda: {SECRET: 1}.keys(),
    "the values of a dict": lambda: {"a": SECRET}.values(),
    "bytes": lambda: SECRET.encode(),
    "a bytearray": lambda: bytearray(SECRET.encode()),
    "bytes in a dict": lambda: {"body": SECRET.encode()},
    "a view of memory": lambda: [memoryview(SECRET.encode())],
    "a dataclass": lambda: Point(SECRET),
    "a model": lambda: Model(None),
    "an exception": lambda: ValueError(SECRET),
    "the arguments of an exception": lambda: KeyError("a", SECRET),
    "the cause of an exception": lambda: with_cause(ValueError("a"), KeyError(SECRET)),
    "a field of an exception": lambda: Failed(SECRET),
}
#: Not carried: denied as an input, withheld as a result.
LOST = {
    "an object": Plain,
    "an object in a list": lambda: [Plain()],
    "an object with slots": Slots,
    "an object of the language": lambda: types.SimpleNamespace(key=SECRET),
    "a class": lambda: Point,
    "a function": lambda: lambda: SECRET,
    "a method": lambda: Text(SECRET).lower,
    "a partial function": lambda: functools.partial(print, SECRET),
    "a mapping of a class of its own": lambda: Hiding(key=SECRET),
    "a text with an attribute": lambda: with_attribute(Text("a")),
    "a dataclass with an attribute": lambda: with_attribute_of(Point("a")),
    "a model with a private field": lambda: Model({"key": SECRET}),
    "an open file": lambda: io.StringIO(SECRET),
    "too many levels": lambda: functools.reduce(lambda inner, _: [inner], range(70), SECRET),
}


def with_attribute_of(point):
    point.other = SECRET
    return point


class HubTest(unittest.TestCase):
    def setUp(self):
        self.client = hookline.connect("whole-tests", gate_timeout_ms=20_000)
        hookline.set_client(self.client)
        self.addCleanup(self.client.close)


class WholeTest(HubTest):
    def decide(self, given):
        return self.client.decide("tool:before", {"tool": {"name": "any", "input": {"given": given}}})

    def test_a_result_is_seen_whole_or_withheld(self):
        for name, make in CARRIED.items():
            with self.subTest(name):
                run = self.client.run_tool("reader", {}, lambda _: make())
                self.assertNotIn(SECRET, everything_in(run.output))
                self.assertIn("[hidden]", everything_in(run.output))
        for name, make in LOST.items():
            with self.subTest(name):
                run = self.client.run_tool("reader", {}, lambda _: make())
                self.assertRegex(run.output, r"\A\[withheld: ")
                self.assertNotIn(SECRET, run.output)

    def test_an_input_is_seen_whole_or_does_not_run(self):
        for name, make in CARRIED.items():
            with self.subTest(name):
                self.assertEqual(self.decide(make()).reason, "no secrets")
        for name, make in [*LOST.items(), ("a generator", pieces), ("an asynchronous generator", later)]:
            with self.subTest(name):
                decision = self.decide(make())
                self.assertEqual((decision.verdict, decision.cause), ("deny", "HL_NOT_WHOLE"))
                self.assertIn("tool.input.given", decision.reason)

    def test_what_guards_see_whole_stays_the_same_object(self):
        value = {"when": datetime.date(2026, 1, 2), "price": decimal.Decimal("1.5"), "body": b"\xff", "point": Point("a"), 7: {1}}
        self.assertIs(self.client.run_tool("reader", {}, lambda _: value).output, value)

    def test_a_value_that_a_rule_changed_in_one_place_is_otherwise_what_it_was(self):
        value = {"key": SECRET, "ids": {1}, "body": b"a", "big": 2**70, "odd": [{"$hookline": "bigint"}, {"$hookline": "map", "entries": [1]}]}
        value["odd"].append({"$hookline": "bigint", "value": float("inf")})
        self.assertEqual(self.client.run_tool("reader", {}, lambda _: value).output, {**value, "key": "[hidden]"})


class StreamTest(HubTest):
    def test_streams_are_read_first(self):
        for make in (pieces, lambda: iter(["a SECR", "ETWORD"]), lambda: map(str, ["a SECRETWORD"])):
            self.assertEqual(self.client.run_tool("reader", {}, lambda _, make=make: make()).output, "a [hidden]")
            run = asyncio.run(self.client.run_tool_async("reader", {}, lambda _, make=make: make()))
            self.assertEqual(run.output, "a [hidden]")
        self.assertEqual(asyncio.run(self.client.run_tool_async("reader", {}, lambda _: later())).output, "a [hidden]")
        # Nothing can wait for it in a plain call.
        self.assertRegex(self.client.run_tool("reader", {}, lambda _: later()).output, r"\A\[withheld: ")
        waiting = coroutine()
        self.assertRegex(self.client.run_tool("reader", {}, lambda _: waiting).output, r"\A\[withheld: ")
        waiting.close()

    def test_a_guarded_generator_stays_one(self):
        guarded, guarded_later = hookline.guard(name="reader")(pieces), hookline.guard(name="reader")(later)

        async def read():
            return [piece async for piece in guarded_later()]

        self.assertEqual((list(guarded()), asyncio.run(read())), (["a [hidden]"], ["a [hidden]"]))

        @hookline.guard(name="shell")
        def shell(command):
            yield 1
            yield 2

        self.assertEqual(list(shell("ls")), [1, 2])
        with self.assertRaises(hookline.Blocked):
            list(shell("rm -rf /"))

    def test_one_may_be_passed_on_unguarded(self):
        run = self.client.run_tool("reader", {}, lambda _: pieces(), stream="pass")
        self.assertEqual((run.is_unguarded, list(run.output)), (True, ["a SECR", "ETWORD"]))
        with self.assertRaises(hookline.HookError):
            self.client.run_tool("reader", {}, print, stream="window")

    def test_an_error_of_a_stream_is_one_of_the_tool(self):
        def failing():
            yield "a"
            raise KeyError("mine")

        run = self.client.run_tool("reader", {}, lambda _: failing())
        self.assertEqual((run.status, type(run.error), run.output), ("error", KeyError, None))

    def test_the_limits(self):
        ended = []

        def endless(piece):
            try:
                while True:
                    yield piece
            finally:
                ended.append(piece)

        async def stuck():
            yield "a"
            await asyncio.sleep(60)

        for piece in ("a" * 30, ""):
            with self.assertRaises(hookline.HookError) as caught:
                Collector(max_bytes=100).read(endless(piece))
            self.assertEqual(caught.exception.code, "HL_STREAM_LIMIT")
        self.assertEqual(ended, ["a" * 30, ""])
        with self.assertRaises(hookline.HookError) as caught:
            asyncio.run(Collector(timeout_s=0.02).read_async(stuck()))
        self.assertEqual(caught.exception.code, "HL_STREAM_LIMIT")


class RequiredTest(unittest.TestCase):
    def test_without_a_hub_it_is_said_once_and_required_denies(self):
        errors = []
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "state")
            options = {"source": "x", "folder": place, "gate_timeout_ms": 20, "on_error": lambda error: errors.append(str(error))}
            client = hookline.Client(required=True, gate_on_failure="open", **options)
            self.addCleanup(client.close)
            call = {"tool": {"name": "shell", "input": {"command": "ls"}}}
            self.assertEqual([client.decide("tool:before", call).verdict for _ in range(2)], ["deny", "deny"])
            self.assertEqual(client.decide("prompt:submit", {"prompt": "hi"}).verdict, "deny")
            self.assertRegex(client.transform("tool:result", "text").value, r"\A\[withheld: ")
            self.assertEqual(len(errors), 1)
            self.assertRegex(errors[0], r"There is no hub in .* Run: hookline up")
            with self.assertRaises(hookline.HookError):
                hookline.Client(required=True, gates=False, **options)


def everything_in(value):
    """All text that somebody who has a value can read in it."""
    if isinstance(value, (bytes, bytearray)):
        return value.decode()
    if isinstance(value, dict):
        return " ".join(everything_in(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple, set, frozenset)):
        return " ".join(map(everything_in, value))
    return str(value)
