import { canDo } from "../drivers.ts";
import { play } from "../play.ts";
import { callOf, claim, rule, type Scenario, verdictOf } from "../scenario.ts";

/** What a rule or a hook says, and what becomes of it. */
export const decisions: readonly Scenario[] = [
  {
    name: "allow",
    title: "allow",
    async run(stage) {
      stage.configure(rule("wanted", 'do = "allow"\nmessage = "Fine by us."'));
      await stage.startHub();
      await stage.attach();
      // Claude Code would not run it by itself here, so the allow is heard.
      await stage.run({ scripts: { main: [[stage.driver.shell("touch wanted")]] } }, { isCareful: true });
      claim("the tool ran", stage.has("wanted"));
      claim("it is recorded as allowed", verdictOf(await callOf(stage, "wanted")) === "allow");
      return undefined;
    },
  },
  {
    name: "deny",
    title: "deny: the call does not run, the model sees the reason",
    async run(stage) {
      const run = await play(stage, rule("unwanted", 'do = "block"\nmessage = "Reason number seven."'), "touch unwanted", "touch after");
      claim("the tool did not run", !stage.has("unwanted"));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw("Reason number seven."));
      claim("the agent went on, unless a denied call ends it", stage.has("after") !== (stage.driver.endsOnDeny === true));
      const call = await callOf(stage, "unwanted");
      claim("it is recorded as denied, with reason and rule", JSON.stringify(call.decision).includes("Reason number seven."));
      claim("it is recorded as denied", verdictOf(call) === "deny");
      return undefined;
    },
  },
  {
    name: "tool-name",
    title: "a rule for `bash` guards its shell, and `selftest` sends the same call",
    async run(stage) {
      const narrowed = 'tool = "bash"\nmatch = "tool.input.command contains unwanted"\nexamples = { catches = ["touch unwanted"] }';
      await play(stage, `[[rule]]\nname = "no-shell"\ndo = "block"\n${narrowed}\n`, "touch unwanted", "touch after");
      claim("the tool did not run", !stage.has("unwanted"));
      claim("the agent went on, unless a denied call ends it", stage.has("after") !== (stage.driver.endsOnDeny === true));
      const { code, out } = await stage.hookline("selftest", "--json");
      const { agents, guards } = JSON.parse(out) as { agents: string[]; guards: { state: string; canaries: { agent: string }[] }[] };
      claim(`selftest is content: ${out}`, code === 0 && guards[0]?.state === "denied");
      claim(
        "it was sent as this agent sends it",
        [agents[0], guards[0]?.canaries[0]?.agent].every((id) => id === stage.driver.id),
      );
      return undefined;
    },
  },
  {
    name: "modify",
    title: "modify: the rewritten call runs",
    async run(stage) {
      const toml = rule("original", 'do = "modify"\nset = { "tool.input.command" = "touch rewritten" }');
      await play(stage, toml, "touch original");
      claim("the original call did not run", !stage.has("original"));
      if (!canDo(stage.driver, "tool:before", "modify")) {
        claim("nothing else ran", !stage.has("rewritten"));
        return "cannot";
      }
      claim("the rewritten call ran", stage.has("rewritten"));
      const { decision } = await callOf(stage, "original");
      claim("it is recorded as modified", (decision as { modified?: unknown }).modified === true);
      return undefined;
    },
  },
  {
    name: "inject",
    title: "inject: the model sees it",
    async run(stage) {
      const toml = `[[rule]]\nname = "at-prompt"\nevent = "prompt:submit"\ndo = "inject"\nmessage = "Said at the prompt."\n`;
      const run = await play(stage, toml + rule("plain", 'do = "inject"\nmessage = "Said at the tool."'), "touch plain");
      claim("the tool ran", stage.has("plain"));
      claim("the model saw what was said at the prompt", run.model.saw("Said at the prompt."));
      // A run has one prompt, so what is left for the next one is not told.
      if (!["tool:before", "tool:after"].some((event) => canDo(stage.driver, event, "inject"))) return "cannot";
      // Gemini CLI can be told nothing before a call; it is told after it.
      claim("the model saw what was said at the tool", run.model.saw("Said at the tool."));
      return undefined;
    },
  },
  {
    name: "end-loop",
    title: "end the loop",
    async run(stage) {
      const answer = JSON.stringify({ decision: "deny", reason: "Enough for today.", endLoop: true });
      const toml = `[[hook]]\nname = "enough"\nevent = "tool:before"\ncommand = "echo"\nargs = ['${answer}']\n`;
      const run = await play(stage, toml, "touch first", "touch second");
      claim("no tool ran", !stage.has("first") && !stage.has("second"));
      const { decision } = await callOf(stage, "first");
      claim("it is recorded as the end", (decision as { endLoop?: unknown }).endLoop === true);
      if (!canDo(stage.driver, "tool:before", "endLoop")) return "cannot";
      claim("the model was not asked again", run.model.asked("main") === 1);
      return undefined;
    },
  },
  {
    name: "prompt",
    title: "a prompt blocked: the model never sees it",
    async run(stage) {
      const toml = `[[rule]]\nname = "no"\nevent = "prompt:submit"\nmatch = "prompt contains 'script:main'"\ndo = "block"\nmessage = "Not this prompt."\n`;
      const run = await play(stage, toml, "touch plain");
      claim("no tool ran", !stage.has("plain"));
      claim("the model did not see the prompt", !run.model.saw("script:main"));
      const [prompt] = await stage.events({ event: "prompt:submit" });
      claim("it is recorded as denied", prompt !== undefined && verdictOf(prompt) === "deny");
      return undefined;
    },
  },
];
