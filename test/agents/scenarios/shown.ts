import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapesOf, removal } from "../against-guard/escapes.ts";
import { placesOf } from "../against-guard/ground.ts";
import { claim, rule, type Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Whether the hub has done something about a call that the real agent makes: denied it, or recorded it where nothing can be denied. */
async function hasActed(stage: Stage, marker: string): Promise<boolean> {
  await stage.run({ scripts: { main: [[stage.driver.shell(`touch ${marker}`)]] } });
  const calls = await stage.events({ event: "tool:before" });
  const isRecorded = calls.some(({ payload }) => JSON.stringify(payload.raw).includes(marker));
  return isRecorded && (stage.driver.unable?.deny !== undefined || !stage.has(marker));
}

/** What the commands find wrong with the agent, one line each. */
async function faultsShown(stage: Stage): Promise<{ readonly [command: string]: readonly string[] }> {
  const { id } = stage.driver;
  const check = await stage.hookline("attach", id, "--check");
  const agents = await stage.hookline("agents");
  const rows = JSON.parse((await stage.hookline("agents", "--json")).out) as { agent: string; attached: { state: string }[] }[];
  const doctor = await stage.hookline("doctor");
  const states = rows.find(({ agent }) => agent === id)?.attached.map(({ state }) => state) ?? [];
  const about = (text: string): string[] => text.split("\n").filter((line) => line.includes(id) || line.includes(stage.home));
  return {
    check: check.code === 0 ? [] : [`${check.out}${check.err}`.replace(/\s+/g, " ")],
    agents: [...about(agents.err), ...states.filter((state) => state === "gone" || state === "changed")],
    doctor: about(doctor.out + doctor.err).filter((line) => !line.startsWith("ok ")),
  };
}

/** What is called active must have acted on what the real agent sends. */
export const shown: readonly Scenario[] = [
  {
    name: "shown",
    title: "what `agents`, `--check` and `doctor` call active acts on the agent's calls; without its hooks, they say so",
    async run(stage) {
      const { driver, home } = stage;
      stage.configure(rule("unwanted", 'do = "block"\nmessage = "no"'));
      await stage.startHub();
      await stage.attach();
      const before = await faultsShown(stage);
      claim("the hub acts on the agent's calls", await hasActed(stage, "unwanted-1"));
      // No person has reviewed the hooks of Codex here: the run of this test passes over that.
      claim(`--check calls it active: ${before.check}`, driver.id === "codex" || before.check?.length === 0);
      const places = placesOf(stage);
      const files = [
        driver.settingsPath(home),
        join(home, "config", "opencode"),
        ".pi/agent/settings.json",
        ".codex/config.toml",
        ".copilot/settings.json",
      ]
        .map((path) => join(path.startsWith("/") ? "" : home, path))
        .map((path, index) => ({ path, copy: join(home, "copies", String(index)) }));
      for (const { path, copy } of files) if (existsSync(path)) cpSync(path, copy, { recursive: true, preserveTimestamps: true });
      for (const [what, script] of [
        ["removed", removal(driver.id, places)],
        ["switched off", escapesOf(driver.id).off(places)],
      ] as const) {
        execFileSync("sh", ["-c", script], { cwd: stage.project });
        const isActing = await hasActed(stage, `unwanted-${what.split(" ")[0]}`);
        const now = await faultsShown(stage);
        for (const [command, faults] of Object.entries(now)) {
          const isShownActive = faults.every((fault) => before[command]?.includes(fault));
          claim(`hooks ${what}, not acting: ${command} says so: ${faults}`, isActing || !isShownActive);
        }
        for (const { path, copy } of files) {
          rmSync(path, { recursive: true, force: true });
          if (existsSync(copy)) cpSync(copy, path, { recursive: true, preserveTimestamps: true });
        }
        claim("it is as before", existsSync(dirname(driver.settingsPath(home))));
      }
      return undefined;
    },
  },
];
