import { putFiles } from "../drivers.ts";
import { callOf, claim, rule, type Scenario, verdictOf } from "../scenario.ts";
import type { AgentRun, Stage } from "../stage.ts";
import { until } from "../until.ts";

const RULE = rule("doubtful", 'do = "ask"\nmessage = "Really this?"');

/** The agent calls, and somebody at another terminal does something about it. */
async function ask(stage: Stage, toml: string, atTheDesk: (id: string) => Promise<unknown>): Promise<AgentRun> {
  stage.configure(toml);
  await stage.startHub();
  await stage.attach();
  const running = stage.run({ scripts: { main: [[stage.driver.shell("touch doubtful")]] } });
  const desk = waiting(stage).then(atTheDesk);
  const [run] = await Promise.all([running, desk]);
  return run;
}

async function waiting(stage: Stage): Promise<string> {
  let found: { readonly id: string; readonly reason?: string } | undefined;
  await until("a call waits for a person", async () => {
    const { out } = await stage.hookline("approvals", "--json");
    [found] = JSON.parse(out) as { id: string }[];
    return found !== undefined;
  });
  claim("the person is told why", found?.reason === "Really this?");
  claim("nothing ran meanwhile", !stage.has("doubtful"));
  return found?.id ?? "";
}

async function claimReplied(stage: Stage, verdict: string): Promise<void> {
  const replies = await stage.events({ event: "permission:replied" });
  const said = replies.map(({ payload }) => (payload.approval as { readonly verdict?: string } | undefined)?.verdict);
  claim(`one reply is recorded, ${verdict}: ${said}`, said.join() === verdict);
}

export const asking: readonly Scenario[] = [
  {
    name: "ask-yes",
    title: "ask, answered yes",
    async run(stage) {
      await ask(stage, RULE, (id) => stage.hookline("approve", id));
      claim("the tool ran", stage.has("doubtful"));
      claim("it is recorded as allowed", verdictOf(await callOf(stage, "doubtful")) === "allow");
      await claimReplied(stage, "allow");
      return undefined;
    },
  },
  {
    name: "ask-no",
    title: "ask, answered no",
    async run(stage) {
      const run = await ask(stage, RULE, (id) => stage.hookline("deny", id, "--reason", "Not on a Friday."));
      claim("the tool did not run", !stage.has("doubtful"));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw("Not on a Friday."));
      claim("it is recorded as denied", verdictOf(await callOf(stage, "doubtful")) === "deny");
      await claimReplied(stage, "deny");
      return undefined;
    },
  },
  {
    name: "ask-nobody",
    title: "ask, not answered in time: denied",
    async run(stage) {
      // Longer than the pause between two signs of life.
      const run = await ask(stage, `[hub]\naskTimeout = "3s"\n${RULE}`, async () => {});
      claim("the tool did not run", !stage.has("doubtful"));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw("no person answered in time"));
      const { decision } = await callOf(stage, "doubtful");
      claim("it is recorded as nobody's answer", (decision as { cause?: unknown }).cause === "HL_APPROVAL_TIMEOUT");
      await claimReplied(stage, "deny");
      claim("nothing was missed", (await stage.missed()) === 0);
      return undefined;
    },
  },
  {
    name: "skill-commands",
    title: "a skill that runs a command when it is loaded is asked about",
    agents: ["claude-code"],
    async run(stage) {
      stage.configure("");
      await stage.startHub();
      await stage.attach();
      putFiles(stage.project, {
        ".claude/skills/notes/SKILL.md": "---\nname: notes\ndescription: Notes.\nallowed-tools: Bash\n---\n!`touch skill-ran`\n",
      });
      const load = () => stage.run({ scripts: { main: [[{ tool: "Skill", input: { skill: "notes" } }]] } });
      const answer = async (command: string): Promise<void> => {
        let found: { readonly id: string; readonly reason?: string } | undefined;
        await until("the skill waits for a person", async () => {
          [found] = JSON.parse((await stage.hookline("approvals", "--json")).out) as { id: string }[];
          return found !== undefined;
        });
        claim("the person sees the command", found?.reason?.includes("touch skill-ran") === true);
        await stage.hookline(command, found?.id ?? "");
      };
      await Promise.all([load(), answer("deny")]);
      claim("the command did not run", !stage.has("skill-ran"));
      await Promise.all([load(), answer("approve")]);
      claim("the command ran after a person allowed it", stage.has("skill-ran"));
      return undefined;
    },
  },
];
