"""`@guard`, threads, forks and asyncio, with the hub's rules."""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
import unittest

import hookline
from hookline import client as client_module
from hookline import hermes


class GuardTest(unittest.TestCase):
    def setUp(self):
        self.client = hookline.connect("guard-tests", gate_timeout_ms=20_000)
        hookline.set_client(self.client)
        self.addCleanup(self.client.close)

    def test_arguments_reach_the_tool_as_they_were_given(self):
        @hookline.guard(name="any")
        def tool(first, second=2, *rest, only, **more):
            return first, second, rest, only, more

        self.assertEqual(tool(1, only=3), (1, 2, (), 3, {}))
        self.assertEqual(tool(1, 5, 6, 7, only=3, extra=[8]), (1, 5, (6, 7), 3, {"extra": [8]}))
        self.assertEqual(tool.__name__, "tool")

    def test_a_method_and_skipped_arguments(self):
        class Box:
            @hookline.guard(name="any", skip=("self", "context"))
            def tool(self, context, text):
                return [self is box, context is given, text]

        box, given = Box(), object()
        self.assertEqual(box.tool(given, text="x"), [True, True, "x"])

    def test_an_argument_that_is_not_json_is_denied_with_its_place_and_the_next_step(self):
        ran = []

        @hookline.guard(name="any")
        def tool(rows):
            ran.append(rows)

        with self.assertRaises(hookline.Blocked) as denied:
            tool([{}, {"handle": object()}])
        text = str(denied.exception)
        self.assertIn("rows[1].handle: a value of type object cannot be written as JSON", text)
        self.assertIn("skip=", text)
        self.assertEqual(ran, [])

    def test_a_result_that_is_not_json_is_withheld_by_a_closed_transform(self):
        @hookline.guard(name="any")
        def tool():
            return object()

        self.assertIn("[withheld: ", tool())

    def test_an_argument_that_is_not_json_denies(self):
        @hookline.guard(name="any")
        def tool(thing):
            return "ran"

        with self.assertRaises(hookline.Blocked) as caught:
            tool(object())
        self.assertEqual(caught.exception.decision.cause, "HL_NOT_WHOLE")

    def test_rewritten_arguments_and_results(self):
        @hookline.guard
        def careful(path, dryRun=False):
            return path, dryRun

        @hookline.guard
        async def reader():
            return "the SECRETWORD"

        self.assertEqual(careful("/x"), ("/x", True))
        self.assertEqual(asyncio.run(reader()), "the [hidden]")

    def test_an_argument_that_the_tool_does_not_have_is_an_error(self):
        @hookline.guard(name="careful")
        def tool(path):
            return path

        with self.assertRaises(hookline.HookError) as caught:
            tool("/x")
        self.assertEqual(caught.exception.code, "HL_BAD_MODIFY")

    def test_exceptions_of_the_tool_go_through(self):
        @hookline.guard(name="any")
        def tool():
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            tool()

    def test_texts_for_the_model_wait_for_the_session(self):
        @hookline.guard(session="s-1")
        def hinted():
            return "ok"

        hinted()
        self.assertEqual(self.client.take_context(), [])
        self.assertEqual(self.client.take_context("s-1"), ["Read the manual first."])
        self.assertEqual(self.client.take_context("s-1"), [])

    def test_many_threads_ask_at_once(self):
        verdicts = []

        def ask(number):
            command = "rm -rf /" if number % 2 else "ls"
            verdicts.append((number % 2, self.client.decide("tool:before", {"tool": {"name": "shell", "input": {"command": command}}}).verdict))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(verdicts), {(0, "pass"), (1, "deny")})
        self.assertTrue(self.client.flush(20))

    def test_many_tasks_ask_at_once_and_one_is_cancelled(self):
        async def main():
            call = {"tool": {"name": "deploy", "input": {"to": "prod"}}}
            waiting = asyncio.ensure_future(self.client.decide_async("tool:before", call))
            others = await asyncio.gather(*(self.client.decide_async("tool:before", {"tool": {"name": "known", "input": {}}}) for _ in range(20)))
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            return {decision.verdict for decision in others}

        self.assertEqual(asyncio.run(main()), {"allow"})

    def test_a_tool_that_is_cancelled_is_told_of(self):
        async def main():
            began = asyncio.Event()

            async def slow(_input):
                began.set()
                await asyncio.sleep(60)

            task = asyncio.ensure_future(self.client.run_tool_async("any", {}, slow))
            await asyncio.wait_for(began.wait(), 30)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        before = self.client.counters.accepted
        asyncio.run(main())
        self.assertTrue(self.client.flush(20))
        self.assertEqual(self.client.counters.accepted - before, 2)

    def test_a_closed_client_takes_no_more_and_denies(self):
        client = hookline.Client(source="closed")
        client.close()
        self.assertEqual(client.state, "closed")
        self.assertEqual(client.decide("tool:before", {"tool": {"name": "x", "input": {}}}).verdict, "deny")

    def test_wrong_options_are_named(self):
        for options, code in (({"sauce": 1}, "HL_UNKNOWN_OPTION"), ({"queue_count": 0}, "HL_BAD_OPTION"), ({"gate_events": ["agent:step"]}, "HL_BAD_OPTION")):
            with self.assertRaises(hookline.HookError) as caught:
                hookline.Client(source="x", **options)
            self.assertEqual(caught.exception.code, code)


def in_child(queue):
    client = hookline.get_client()
    verdict = client.decide("tool:before", {"tool": {"name": "shell", "input": {"command": "rm -rf /"}}}).verdict
    client.emit("myapp:child", {})
    queue.put((client.instance, verdict, client.flush(20), client.counters.accepted))


class ForkTest(unittest.TestCase):
    def test_a_child_has_a_connection_of_its_own(self):
        client = hookline.connect("fork-tests", gate_timeout_ms=20_000, durable=True)
        hookline.set_client(client)
        self.addCleanup(client.close)
        client.emit("myapp:parent", {})
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=in_child, args=(queue,))
        child.start()
        instance, verdict, is_settled, accepted = queue.get(timeout=60)
        child.join(60)
        self.assertNotEqual(instance, client.instance)
        self.assertEqual((verdict, is_settled, accepted, child.exitcode), ("deny", True, 2, 0))
        client.emit("myapp:parent", {})
        self.assertTrue(client.flush(20))
        self.assertEqual(client.counters.acked, 2)


    def test_a_child_needs_no_lock_that_another_thread_held(self):
        book, registry = hookline.ReminderBook(), hermes.get_default_registry()
        client = hookline.connect("lock-tests", reminders=book)
        hookline.set_client(client)
        self.addCleanup(client.close)
        locks = (client_module._default_lock, client._context_lock, hermes._default_lock, book._lock, registry._lock)
        with contextlib.ExitStack() as held:
            for lock in locks:
                held.enter_context(lock)
            child = os.fork()
            if child == 0:
                # A child that waits for a lock is ended by the signal.
                signal.alarm(20)
                book.add({"body": "x"}, "s")
                hookline.get_client().take_context()
                hermes.get_default_registry().register("command:*", print)
                os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class NoHubTest(unittest.TestCase):
    def test_without_a_hub_nothing_is_taken_and_gates_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            client = hookline.Client(source="alone", folder=os.path.join(folder, "state"))
            client.emit("agent:step", {})
            verdict = client.decide("tool:before", {"tool": {"name": "shell", "input": {"command": "rm -rf /"}}}).verdict
            self.assertEqual((client.state, verdict, client.close().accepted), ("waiting", "pass", 0))

    def test_a_hub_file_that_cannot_be_trusted_closes_every_gate(self):
        errors = []
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            with open(os.path.join(folder, "hub.json"), "w", encoding="utf-8") as file:
                file.write("{}")
            for mode, code in ((0o600, "HL_HUB_FILE"), (0o644, "HL_HUB_FOREIGN")):
                os.chmod(os.path.join(folder, "hub.json"), mode)
                client = hookline.Client(source="x", folder=folder, gate_timeout_ms=50, on_error=lambda error: errors.append(error.code))
                self.assertEqual(client.decide("compact:before", {}).verdict, "deny")
                self.assertEqual(client.transform("tool:env", {"A": "1"}).value.keys(), {"HOOKLINE_WITHHELD"})
                self.assertIn(code, errors)
                client.close()
