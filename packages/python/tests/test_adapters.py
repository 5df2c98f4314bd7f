"""The adapters against stand-ins with the documented interfaces. The frameworks themselves are not tried here."""

import asyncio
import dataclasses
import json
import sys
import types
import unittest
from typing import Any, Callable

import hookline


@dataclasses.dataclass
class FunctionTool:
    """Of the OpenAI Agents SDK: name, description, schema, and a coroutine function that takes a context and JSON."""

    name: str
    on_invoke_tool: Callable[[Any, str], Any]
    description: str = ""


@dataclasses.dataclass
class ToolMessage:
    """Of LangChain."""

    content: Any
    tool_call_id: str
    name: str = ""
    status: str = "success"

    def model_copy(self, update):
        return dataclasses.replace(self, **update)


@dataclasses.dataclass
class ToolCallRequest:
    tool_call: dict

    def override(self, tool_call):
        return ToolCallRequest(tool_call)


class WrapperToolset:
    """Of Pydantic AI."""

    def __init__(self, wrapped):
        self.wrapped = wrapped

    async def call_tool(self, name, tool_args, ctx, tool):
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class AdapterTest(unittest.TestCase):
    def setUp(self):
        self.client = hookline.connect("adapter-tests", gate_timeout_ms=20_000)
        hookline.set_client(self.client)
        self.addCleanup(self.client.close)

    def test_openai_agents(self):
        from hookline.adapters.openai_agents import guard_tools, run_hooks

        async def invoke(context, arguments):
            return f"ran {arguments}"

        async def read(context, arguments):
            return "a SECRETWORD"

        tools = guard_tools([FunctionTool("shell", invoke), FunctionTool("careful", invoke), FunctionTool("reader", read)])
        context = types.SimpleNamespace(tool_call_id="c1")
        run = lambda index, **input: asyncio.run(tools[index].on_invoke_tool(context, json.dumps(input)))  # noqa: E731
        self.assertEqual(run(0, command="ls"), 'ran {"command": "ls"}')
        self.assertEqual(run(0, command="rm -rf /"), "Blocked: No recursive removal. (no-removal)")
        self.assertEqual(run(1, path="x"), 'ran {"path": "x", "dryRun": true}')
        self.assertEqual(run(2), "a [hidden]")
        with self.assertRaises(TypeError):
            guard_tools([object()])
        stand_in("agents", RunHooks=object)
        before = self.client.counters.accepted
        hooks, agent = run_hooks(), types.SimpleNamespace(name="A")
        asyncio.run(hooks.on_agent_start(context, agent))
        asyncio.run(hooks.on_handoff(context, agent, agent))
        asyncio.run(hooks.on_llm_end(context, agent, types.SimpleNamespace(usage=types.SimpleNamespace(input_tokens=1, output_tokens=2))))
        asyncio.run(hooks.on_agent_end(context, agent, "done"))
        self.assertEqual(self.client.counters.accepted - before, 4)

    def test_langgraph(self):
        stand_in("langchain_core.messages", ToolMessage=ToolMessage)
        stand_in("langchain.agents.middleware", AgentMiddleware=object)
        from hookline.adapters.langgraph import middleware

        wrapped = middleware()

        def handler(request):
            return ToolMessage(f"ran {request.tool_call['args']} SECRETWORD", request.tool_call["id"])

        async def handler_async(request):
            return handler(request)

        def request(name, **args):
            return ToolCallRequest({"name": name, "args": args, "id": "c1"})

        for run in (
            lambda given: wrapped.wrap_tool_call(given, handler),
            lambda given: asyncio.run(wrapped.awrap_tool_call(given, handler_async)),
        ):
            self.assertEqual(run(request("any", a=1)).content, "ran {'a': 1} SECRETWORD")
            self.assertEqual(run(request("careful")).content, "ran {'dryRun': True} SECRETWORD")
            self.assertEqual(run(request("reader")).content, "ran {} [hidden]")
            blocked = run(request("shell", command="rm -rf /"))
            self.assertEqual((blocked.status, blocked.tool_call_id, blocked.content), ("error", "c1", "Blocked: No recursive removal. (no-removal)"))

    def test_crewai(self):
        registered = {}
        stand_in(
            "crewai.hooks",
            register_before_tool_call_hook=lambda hook: registered.update(before=hook),
            register_after_tool_call_hook=lambda hook: registered.update(after=hook),
        )
        from hookline.adapters.crewai import install

        install()

        def context(name, **input):
            return types.SimpleNamespace(tool_name=name, tool_input=input, tool_result=None, agent=types.SimpleNamespace(role="Cook"))

        call = context("shell", command="rm -rf /")
        self.assertIs(registered["before"](call), False)
        call = context("careful", path="x")
        self.assertIsNone(registered["before"](call))
        self.assertEqual(call.tool_input, {"path": "x", "dryRun": True})
        call = context("reader")
        registered["before"](call)
        call.tool_result = "a SECRETWORD"
        self.assertEqual(registered["after"](call), "a [hidden]")
        self.assertIs(registered["before"](types.SimpleNamespace()), False)
        # An equal input in another object, as a framework that copies it would pass.
        registered["before"](context("reader", path="x"))
        copied = context("reader", path="x")
        copied.tool_result = "a SECRETWORD"
        self.assertEqual(registered["after"](copied), "a [hidden]")
        # An output of a call that the first hook never saw.
        copied.tool_result = "b SECRETWORD"
        self.assertEqual(registered["after"](copied), "b [hidden]")
        # What a blocked call gives is no output of the tool.
        call.tool_name, call.tool_input = "shell", {"command": "rm -rf /"}
        self.assertIs(registered["before"](call), False)
        self.assertIsNone(registered["after"](call))

    def test_pydantic_ai(self):
        stand_in("pydantic_ai.toolsets", WrapperToolset=WrapperToolset)
        from hookline.adapters.pydantic_ai import guard_toolset

        class Tools:
            async def call_tool(self, name, tool_args, ctx, tool):
                return f"{name} {tool_args} SECRETWORD"

        toolset = guard_toolset(Tools())
        context = types.SimpleNamespace(tool_call_id="c1")
        run = lambda name, **args: asyncio.run(toolset.call_tool(name, args, context, None))  # noqa: E731
        self.assertEqual(run("any", a=1), "any {'a': 1} SECRETWORD")
        self.assertEqual(run("careful"), "careful {'dryRun': True} SECRETWORD")
        self.assertEqual(run("reader"), "reader {} [hidden]")
        self.assertEqual(run("shell", command="rm -rf /"), "Blocked: No recursive removal. (no-removal)")


class LostHubTest(unittest.TestCase):
    def test_every_adapter_denies_without_its_hub(self):
        import tempfile

        from hookline.adapters.crewai import tool_hooks
        from hookline.adapters.openai_agents import guard_tools

        async def invoke(context, arguments):
            return "ran"

        with tempfile.TemporaryDirectory() as folder:
            client = hookline.Client(source="lost", folder=folder + "/state", gate_events=["tool:before"], gate_timeout_ms=50)
            [tool] = guard_tools([FunctionTool("any", invoke)], client=client)
            self.assertIn("Blocked: The hub cannot be asked", asyncio.run(tool.on_invoke_tool(None, "{}")))
            before, _ = tool_hooks(client=client)
            self.assertIs(before(types.SimpleNamespace(tool_name="any", tool_input={})), False)
            client.close()

    def test_crewai_withholds_an_output_that_no_guard_could_see(self):
        import tempfile

        from hookline.adapters.crewai import tool_hooks

        with tempfile.TemporaryDirectory() as folder:
            options = {"gate_events": ["tool:result"], "gate_timeout_ms": 50, "gate_on_failure": "abort"}
            client = hookline.Client(source="lost", folder=folder + "/state", **options)
            _, after = tool_hooks(client=client)
            context = types.SimpleNamespace(tool_name="any", tool_input={}, tool_result="a SECRETWORD")
            self.assertIn("[withheld: The hub cannot be asked", after(context))
            client.close()


class LangGraphTest(unittest.TestCase):
    def test_an_output_that_a_guard_took_away_does_not_reach_the_model(self):
        from hookline.adapters.langgraph import _Call

        call = _Call(ToolCallRequest({"name": "any", "args": {}, "id": "c1"}))
        call.keep(ToolMessage("a SECRETWORD", "c1"))
        run = hookline.ToolRun("ok", hookline.Decision("pass", {}), output=None)
        self.assertEqual(call.answer(run).content, "")
