"""What Hermes' own tests say of its registry, and the hub behind it."""

import asyncio
import contextlib
import io
import tempfile
import unittest

import hookline
from hookline import hermes


class RegistryTest(unittest.TestCase):
    def setUp(self):
        self.registry = hermes.HookRegistry()
        self.seen = []

    def see(self, name):
        return lambda event, context: self.seen.append((name, event, context))

    def test_exact_handlers_run_before_those_of_the_namespace(self):
        self.registry.register("command:*", self.see("wild"))
        self.registry.register("command:reset", self.see("exact"))
        self.registry.register("command", self.see("never"))
        self.registry.emit_sync("command:reset")
        self.assertEqual([(name, context) for name, _, context in self.seen], [("exact", {}), ("wild", {})])

    def test_unregister_removes_one_handler_and_may_be_called_twice(self):
        handler = self.see("same")
        off = self.registry.register("agent:start", handler)
        self.registry.register("agent:start", handler, name="second")
        off()
        off()
        self.registry.emit_sync("agent:start", {"a": 1})
        self.assertEqual(len(self.seen), 1)
        expected = {"name": "second", "events": ["agent:start"], "description": "(registered programmatically)", "path": "<programmatic>"}
        self.assertEqual(self.registry.loaded_hooks, [expected])

    def test_a_handler_that_raises_does_not_stop_the_others(self):
        def broken(event, context):
            raise ValueError("broken")

        async def later(event, context):
            self.seen.append("later")
            return 2

        self.registry.register("agent:end", broken)
        self.registry.register("agent:end", lambda event, context: 1)
        self.registry.register("agent:end", lambda event, context: None)
        self.registry.register("agent:end", later)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(asyncio.run(self.registry.emit_collect("agent:end")), [1, 2])
            asyncio.run(self.registry.emit("agent:end"))
        self.assertEqual(said.getvalue().count("failed on agent:end"), 2)

    def test_asynchronous_handlers_of_emit_sync(self):
        async def later(event, context):
            self.seen.append("later")

        self.registry.register("tui:x", later)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.registry.emit_sync("tui:x")
            self.registry.emit_sync("tui:x")
        self.assertEqual((self.seen, said.getvalue().count("was skipped")), ([], 1))

        async def main():
            self.registry.emit_sync("tui:x")
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        asyncio.run(main())
        self.assertEqual(self.seen, ["later"])

    def test_the_default_registry_can_be_replaced(self):
        first = hermes.get_default_registry()
        self.assertIs(hermes.get_default_registry(), first)
        hermes.install_as_default(self.registry)
        self.assertIs(hermes.get_default_registry(), self.registry)

    def test_a_rewrite_that_hermes_cannot_take_whole_is_a_denial(self):
        given = {"command_name": "model", "raw_args": "big", "args": ["big"]}

        def answers(**changes):
            decision = hookline.Decision("pass", {**given, **changes}, modified=True)
            return hermes._answers("command:model", given, decision)

        self.assertEqual(answers(raw_args="small"), [{"decision": "rewrite", "command_name": "model", "raw_args": "small"}])
        self.assertEqual([row["decision"] for row in answers(raw_args="small", args=["small"])], ["deny"])
        self.assertEqual([row["decision"] for row in answers(args=["small"])], ["deny"])

    def test_the_hub_hears_of_events_and_denies_commands(self):
        client = hermes.forward(self.registry, client=hookline.connect("hermes-tests", gate_timeout_ms=20_000))
        self.addCleanup(client.close)
        self.registry.register("command:*", lambda event, context: {"decision": "handled"})
        self.registry.emit_sync("agent:start", {"session_id": "s"})
        self.registry.emit_sync("gateway", {})
        self.registry.emit_sync("agent:start", {"_forwarded": True})
        results = asyncio.run(self.registry.emit_collect("command:reset", {"command": "reset"}))
        self.assertEqual(results, [{"decision": "deny", "message": "No reset."}, {"decision": "handled"}])
        self.assertTrue(client.flush(20))
        self.assertEqual((client.counters.accepted, client.counters.acked), (3, 3))

    def test_a_command_that_the_hub_cannot_be_asked_about_is_denied(self):
        options = {"gate_events": ["command:reset"], "gate_timeout_ms": 50, "gate_on_failure": "abort"}
        with tempfile.TemporaryDirectory() as folder:
            client = hermes.forward(self.registry, client=hookline.Client(source="lost", folder=folder + "/state", **options))
            [answer] = asyncio.run(self.registry.emit_collect("command:reset", {"command": "reset"}))
            self.assertEqual(answer["decision"], "deny")
            self.assertIn("The hub cannot be asked", answer["message"])
            client.close()
