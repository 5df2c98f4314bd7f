import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { callOf, claim, rule, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** All files of the agent's own that attaching may touch. */
function filesOf({ home, driver }: Stage): string {
  const path = driver.settingsPath(home);
  return existsSync(path) ? readFileSync(path, "utf8") : `folder: ${existsSync(dirname(path))}`;
}

export const attaching: readonly Scenario[] = [
  {
    name: "canary",
    title: "attach --check, attach twice, detach",
    async run(stage) {
      const before = filesOf(stage);
      await stage.startHub();
      await stage.attach();
      const check = await stage.hookline("attach", stage.driver.id, "--check");
      const isReviewed = stage.driver.id !== "codex";
      claim(`the canary is denied: ${check.out}${check.err}`, check.out.includes("denied"));
      // No person has reviewed the hooks here, so Codex is not guarded.
      claim(
        `the check knows whether it is guarded: ${check.code}, ${check.out}`,
        (check.code === 0) === isReviewed && (isReviewed || check.out.includes("reviewed")),
      );
      const attached = filesOf(stage);
      await stage.attach();
      claim("attaching again changes nothing", filesOf(stage) === attached);
      const { out } = await stage.hookline("agents", "--json");
      const row = (JSON.parse(out) as { agent: string; attached: unknown[]; installed?: { version?: string } }[]).find(
        ({ agent }) => agent === stage.driver.id,
      );
      claim("hookline agents knows it", row?.attached.length === 1 && row.installed?.version === stage.driver.version);
      await stage.hub.kill();
      const late = await stage.hookline("attach", stage.driver.id, "--check");
      // Strict, the client denies by itself, and that must not pass for the hub's answer.
      const isTold = stage.isStrict && late.out.includes("without the hub");
      claim(`without a hub the check says so: ${late.out}${late.err}`, isTold || late.code !== 0);
      const detached = await stage.hookline("detach", stage.driver.id);
      claim("detaching works", detached.code === 0);
      claim("the agent's files are as they were", filesOf(stage) === before);
      return undefined;
    },
  },
  {
    name: "attached-twice",
    title: "attached for the user and the project: one event a call",
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Said once."'));
      await stage.startHub();
      await stage.attach();
      // It would tell of a call twice, without an id and in the same words, which two calls that look alike do as well.
      if (stage.driver.definition.install.deliversTwice) {
        const { code, err } = await stage.hookline("attach", stage.driver.id, "--project", ...(stage.isStrict ? ["--strict"] : []));
        claim(`the second is refused: ${err}`, code !== 0 && err.includes("twice"));
        return "cannot";
      }
      await stage.attach("--project");
      const { shell } = stage.driver;
      await stage.run({ scripts: { main: [[shell("touch unwanted")], [shell("touch wanted")]] } });
      claim("the denied call did not run", !stage.has("unwanted"));
      claim("the other ran", stage.has("wanted"));
      await Promise.all(["touch unwanted", "touch wanted"].map((word) => callOf(stage, word)));
      return undefined;
    },
  },
  {
    name: "one-run",
    title: "hookline run: guarded without attaching, no file changed",
    agents: ["qwen", "kimi", "opencode", "pi", "cline", "goose"],
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Said in one run."'));
      await stage.startHub();
      const before = filesOf(stage);
      const { shell, definition } = stage.driver;
      const scripts = { main: [[shell("touch unwanted")], [shell("touch wanted")]] };
      const { model, code, err } = await stage.run({ scripts }, { isOneRun: true });
      claim("the agent's files are as they were", filesOf(stage).replace(/base_url = .*/, "") === before.replace(/base_url = .*/, ""));
      claim("the denied call did not run", !stage.has("unwanted"));
      if (definition.planRun === undefined) {
        claim(`it is not started: ${err}`, code !== 0 && !stage.has("wanted") && err.includes(`attach ${stage.driver.id}`));
        return "cannot";
      }
      claim(`the other ran: ${err.slice(-300)}`, stage.has("wanted"));
      claim("the model saw why", model.saw("Said in one run."));
      await Promise.all(["touch unwanted", "touch wanted"].map((word) => callOf(stage, word)));
      claim("nothing of the run is left", readdirSync(join(stage.home, "state", "hookline", "attach", "runs")).length === 0);
      return undefined;
    },
  },
  {
    name: "keys-rotated",
    title: "every key replaced during a run: guarded as before",
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "With the new key."'));
      await stage.startHub();
      await stage.attach();
      const { model } = await stage.run({
        scripts: { main: [[stage.driver.shell("touch unwanted")]] },
        async onStep(step) {
          if (step > 0) return;
          const { code, err } = await stage.hookline("token", "rotate");
          claim(`the keys were replaced: ${err}`, code === 0);
        },
      });
      claim("the tool did not run", !stage.has("unwanted"));
      claim("the model saw why", stage.driver.endsOnDeny === true || model.saw("With the new key."));
      claim("nothing was missed", (await stage.missed()) === 0);
      return undefined;
    },
  },
  {
    name: "http",
    title: "attach --http: a private file, guarded, also with new keys",
    agents: ["claude-code"],
    async run(stage) {
      // It goes on when the hub does not answer, so it cannot be strict.
      if (stage.isStrict) {
        await stage.startHub();
        claim("it is refused", (await stage.hookline("attach", "claude-code", "--http", "--strict")).code === 2);
        return "cannot";
      }
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Said by http."'));
      await stage.startHub();
      await stage.attach("--http");
      claim("nobody else can read its settings", (statSync(join(stage.home, ".claude", "settings.json")).mode & 0o077) === 0);
      const { shell } = stage.driver;
      const { model } = await stage.run({
        scripts: { main: [[shell("touch unwanted-1")], [shell("touch unwanted-2")]] },
        async onStep(step) {
          if (step === 1) claim("the keys were replaced", (await stage.hookline("token", "rotate")).code === 0);
        },
      });
      claim("neither tool ran", !stage.has("unwanted-1") && !stage.has("unwanted-2"));
      claim("the model saw why", stage.driver.endsOnDeny === true || model.saw("Said by http."));
      return undefined;
    },
  },
  {
    name: "unreviewed",
    title: "hooks that were not reviewed do not run, and Hookline says so",
    agents: ["codex"],
    async run(stage) {
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "Nobody hears this."'));
      await stage.startHub();
      const attached = await stage.attach();
      claim(`attach says so, and how to: ${attached.err}`, /review[\s\S]*\/hooks/.test(attached.err));
      await stage.run({ scripts: { main: [[stage.driver.shell("touch unwanted")]] } }, { isUntrusted: true });
      claim("Codex ran none of them", stage.has("unwanted") && (await stage.events({ event: "tool:before" })).length === 0);
      const { out, err } = await stage.hookline("agents");
      claim(`hookline agents says so, and how to: ${out}${err}`, /review[\s\S]*\/hooks/.test(out + err));
      return undefined;
    },
  },
];
