import { callOf, claim, type Scenario, verdictOf } from "../scenario.ts";
import type { AgentRun, Stage } from "../stage.ts";

const WORDS = "The other branch is the right one.";

/** The agent makes three calls, and after the first an operator at another terminal has something to say. */
async function steer(stage: Stage, ...flags: readonly string[]): Promise<AgentRun> {
  await stage.startHub();
  await stage.attach();
  let isSaid = false;
  const commands = ["touch first", "touch second", "touch third"];
  return stage.run({
    scripts: { main: commands.map((command) => [stage.driver.shell(command)]) },
    async onStep(step) {
      if (step !== 1 || isSaid) return;
      isSaid = true;
      const { session } = await callOf(stage, "first");
      const { code, err } = await stage.hookline("inject", session?.id ?? "", ...flags, WORDS);
      claim(`the message is taken: ${err}`, code === 0);
    },
  });
}

async function claimRecorded(stage: Stage): Promise<void> {
  const told = (await stage.events({ event: "session:steer" })).map(({ payload: { status, text, via } }) => [status, text, via].join());
  claim(
    `it is recorded, with its end: ${told}`,
    told.join(" | ") === ["waiting", "delivered"].map((status) => `${status},${WORDS},cli`).join(" | "),
  );
}

/** What an operator puts into a session while it goes on. */
export const steering: readonly Scenario[] = [
  {
    name: "steer",
    title: "a live session gets a message: the model sees the operator's text",
    async run(stage) {
      const run = await steer(stage);
      claim(
        "all calls ran",
        ["first", "second", "third"].every((marker) => stage.has(marker)),
      );
      claim("the model saw that the operator says it", run.model.saw("Message from the operator ("));
      claim("the model saw what", run.model.saw(WORDS));
      await claimRecorded(stage);
      return undefined;
    },
  },
  {
    name: "steer-interrupt",
    title: "a live session is interrupted: its next call does not run, the model sees the reason",
    async run(stage) {
      const run = await steer(stage, "--interrupt");
      claim("the calls before and after ran", stage.has("first") && stage.has("third"));
      claim("the call that was interrupted did not run", !stage.has("second"));
      claim("the model saw that the operator says it", run.model.saw("Message from the operator ("));
      claim("the model saw why", stage.driver.endsOnDeny === true || run.model.saw(WORDS));
      const call = await callOf(stage, "second");
      const { by, reason } = call.decision ?? {};
      claim(
        "it is recorded as denied by the operator, with the name",
        verdictOf(call) === "deny" && reason?.startsWith(`Message from the operator (${by})`) === true,
      );
      await claimRecorded(stage);
      return undefined;
    },
  },
];
