import { join } from "node:path";
import type { Call } from "../fake-model/conversation.ts";
import { play } from "../play.ts";
import { callOf, claim, rule, type Scenario, verdictOf } from "../scenario.ts";

/** Who called what, and how often. */
export const calls: readonly Scenario[] = [
  {
    name: "pass",
    title: "no rule: the call runs, and is recorded",
    async run(stage) {
      const run = await play(stage, "", "touch plain");
      claim("the tool ran", stage.has("plain"));
      claim("it is recorded as passed", verdictOf(await callOf(stage, "plain")) === "pass");
      const all = (await stage.events()).map(({ event }) => event);
      const { silent = {} } = stage.driver;
      for (const event of ["session:start", "prompt:submit", "tool:after", "finish:before", "session:end"])
        claim(`the hub has ${event}`, event in silent || all.includes(event));
      claim("the model heard nothing of us", !run.model.saw("ookline:"));
      claim("nothing was missed", (await stage.missed()) === 0);
      return undefined;
    },
  },
  {
    name: "own-permissions",
    title: "no rule: the agent's own permissions stay",
    agents: ["claude-code"],
    async run(stage) {
      await stage.startHub();
      await stage.attach();
      await stage.run({ scripts: { main: [[stage.driver.shell("touch plain")]] } }, { isCareful: true });
      claim("the agent's own permissions kept the tool from running", !stage.has("plain"));
      claim("the hub had no opinion", verdictOf(await callOf(stage, "plain")) === "pass");
      return undefined;
    },
  },
  {
    name: "parallel",
    title: "two calls at once: one denied, one runs",
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Not both."'));
      await stage.startHub();
      await stage.attach();
      const { shell } = stage.driver;
      const run = await stage.run({ scripts: { main: [[shell("touch unwanted"), shell("touch wanted")]] } });
      claim("the denied one did not run", !stage.has("unwanted"));
      claim("the other ran", stage.has("wanted"));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw("Not both."));
      const calls = await Promise.all([callOf(stage, "touch unwanted"), callOf(stage, "touch wanted")]);
      claim("they are recorded as they were decided", calls.map(verdictOf).join() === "deny,pass");
      return undefined;
    },
  },
  {
    name: "same-twice",
    title: "the same command twice in a row is two calls",
    async run(stage) {
      await play(stage, "", "echo again >> count", "echo again >> count");
      const calls = await stage.events({ event: "tool:before" });
      claim(`the hub has both calls, not ${calls.length}`, calls.length === 2);
      return undefined;
    },
  },
  {
    name: "huge",
    title: "a file of 2 MB: the guards see all of it",
    async run(stage) {
      const guard = `export const look = ({ payload }) =>
  JSON.stringify(payload.tool.input).includes("the very end") ? { block: true, reason: "Found at the end." } : undefined;`;
      const toml = `[[hook]]\nname = "look"\nevent = "tool:before"\nmodule = "./look.mjs"\nexport = "look"\n`;
      stage.configure(toml, { "look.mjs": guard });
      await stage.startHub();
      await stage.attach();
      const long = "0123456789abcde\n".repeat(2 ** 17);
      const write = (name: string, text: string) => [stage.driver.write(join(stage.project, name), text)];
      const run = await stage.run({ scripts: { main: [write("large", `${long}the very end`), write("small", "x")] } });
      claim("it was not written", !stage.has("large"));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw("Found at the end."));
      claim("the agent went on, unless a denied call ends it", stage.has("small") !== (stage.driver.endsOnDeny === true));
      const events = await stage.events({ event: "tool:before" });
      claim("both calls are recorded", events.map(verdictOf).join() === (stage.driver.endsOnDeny ? "deny" : "deny,pass"));
      return undefined;
    },
  },
  {
    name: "resume",
    title: "a resumed session has the same id",
    async run(stage) {
      await play(stage, "", "touch first");
      await stage.run({ scripts: { main: [[stage.driver.shell("touch second")]] } }, { isResumed: true });
      const [first, second] = await Promise.all([callOf(stage, "touch first"), callOf(stage, "touch second")]);
      claim("both ran", stage.has("first") && stage.has("second"));
      claim(`it is one session: ${first.session?.id}, ${second.session?.id}`, first.session?.id === second.session?.id);
      return undefined;
    },
  },
  {
    name: "subagent",
    title: "a subagent's calls are told apart, and guarded",
    agents: ["claude-code", "opencode", "qwen", "cline"],
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Not here either."'));
      await stage.startHub();
      await stage.attach();
      const { shell, endsOnDeny = false } = stage.driver;
      const { call: agent, name, isReported = true } = subagentOf(stage.driver.id);
      const childCalls = [[shell("touch by-child")], [shell("touch unwanted")]];
      const run = await stage.run({
        scripts: { main: [[shell("touch by-main")], [agent]], child: endsOnDeny ? childCalls : childCalls.toReversed() },
      });
      claim("the subagent ran", run.model.asked("child") > 0 && stage.has("by-child"));
      claim("its denied call did not run", !stage.has("unwanted"));
      const [main, child, denied] = await Promise.all(["by-main", "by-child", "unwanted"].map((word) => callOf(stage, word)));
      const who = (event: typeof main) => event?.payload.agent as { readonly id?: string; readonly name?: string } | undefined;
      claim("the main agent has no id", who(main)?.id === undefined);
      claim("the subagent has its id and name", typeof who(child)?.id === "string" && who(child)?.name === name);
      claim("all calls of the subagent have the same id", who(child)?.id === who(denied)?.id);
      claim("both are in one session", main?.session?.id === child?.session?.id);
      const workers = (await stage.events()).filter(({ event }) => event.startsWith("worker:")).map(({ event }) => event);
      claim(`its beginning and end are recorded: ${workers}`, workers.join() === (isReported ? "worker:spawned,worker:completed" : ""));
      return undefined;
    },
  },
];

interface Subagent {
  /** The call that starts it. */
  readonly call: Call;
  /** Its name on its calls. Qwen Code tells it only when the subagent starts; those of Cline have none. */
  readonly name?: string;
  /** Whether the agent reports its beginning and its end. */
  readonly isReported?: boolean;
}

function subagentOf(id: string): Subagent {
  const task = (tool: string, type: string): Call => ({
    tool,
    input: { description: "A task", prompt: "Do script:child", subagent_type: type },
  });
  if (id === "opencode") return { call: task("task", "general"), name: "general" };
  if (id === "qwen") return { call: task("agent", "general-purpose") };
  if (id === "cline")
    return { call: { tool: "spawn_agent", input: { systemPrompt: "Help.", task: "Do script:child" } }, isReported: false };
  return { call: task("Agent", "general-purpose"), name: "general-purpose" };
}
