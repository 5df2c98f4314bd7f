import { errorText } from "@hookline/core/internal/machine";
import { inertJson, inertLines } from "@hookline/core/internal/text";
import { type CommandModule, examples } from "../command-module.js";
import { accessChecks } from "../doctor/access-checks.js";
import { agentChecks } from "../doctor/agent-checks.js";
import { agentFileChecks } from "../doctor/agent-file-checks.js";
import type { Check, CheckState } from "../doctor/check.js";
import { environmentChecks } from "../doctor/environment-checks.js";
import { readFacts } from "../doctor/facts.js";
import { folderChecks } from "../doctor/folder-checks.js";
import { hookChecks } from "../doctor/hook-checks.js";
import { hubChecks } from "../doctor/hub-checks.js";
import { storeChecks } from "../doctor/store-checks.js";
import { trafficChecks } from "../doctor/traffic-checks.js";
import { EXIT } from "../exit-codes.js";
import { RESTART } from "../find-hub.js";
import { countText } from "../format/amounts.js";
import type { Style } from "../format/paint.js";
import type { Terminal } from "../terminal.js";

const marks: { readonly [state: string]: readonly [Style, string] } = {
  ok: ["green", "ok  "],
  warn: ["yellow", "warn"],
  fail: ["red", "FAIL"],
  skip: ["dim", "-   "],
};

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", "\nExit code 1 when a check fails. Changes nothing and prints no secrets.")
      .addHelpText("after", examples("hookline doctor", "hookline doctor --json | jq '.checks[] | select(.state == \"fail\")'"));
  },

  async run(terminal, { json = false }) {
    const checks = (await examine(terminal.env)).map((check) => ({ ...check, fix: terminal.typeable(check.fix) }));
    const failed = checks.filter(({ state }) => state === "fail").length;
    if (json) terminal.print(inertJson(JSON.stringify({ ok: failed === 0, checks }, undefined, 2)));
    else for (const check of checks) printCheck(check, terminal);
    const warned = checks.filter(({ state }) => state === "warn").length;
    terminal.say(`${countText(checks.length, "check")}: ${failed} failed, ${countText(warned, "warning")}.`);
    return failed === 0 ? EXIT.ok : EXIT.failed;
  },
};

function printCheck({ title, state, detail, fix }: Diagnosis, { print, paint, typeable }: Terminal): void {
  const [style, mark] = marks[state] ?? ["dim", state];
  const isBad = state === "warn" || state === "fail";
  const [first = "", ...more] = typeable(inertLines(detail)).split("\n");
  print(`${paint(style, mark)} ${title}${isBad ? "" : paint("dim", `: ${first}`)}`);
  if (!isBad) return;
  for (const line of [first, ...more]) print(`       ${line}`);
  print(`       ${paint("dim", "run:")} ${paint("bold", inertLines(fix))}`);
}

interface Diagnosis {
  readonly id: string;
  readonly title: string;
  readonly state: CheckState;
  readonly detail: string;
  /** The command that fixes it. */
  readonly fix: string;
}

const checks: readonly Check[] = [
  ...environmentChecks,
  ...folderChecks,
  ...hubChecks,
  ...accessChecks,
  ...storeChecks,
  ...trafficChecks,
  ...hookChecks,
  ...agentFileChecks,
  ...agentChecks,
];

/** Commands that start a user's own hub. The managed one is a service. */
const STARTS: readonly string[] = ["hookline up --detach", RESTART];
const MANAGED_START = "sudo systemctl restart hookline";

/** Runs every check; one that throws does not hide the others. */
async function examine(env: NodeJS.ProcessEnv): Promise<readonly Diagnosis[]> {
  const facts = await readFacts(env);
  const { managed } = facts;
  return Promise.all(
    checks.map(async ({ id, title, fix, look }) => {
      try {
        const { state, detail, fix: own = fix } = await look(facts);
        return { id, title, state, detail, fix: managed !== undefined && STARTS.includes(own) ? MANAGED_START : own };
      } catch (error) {
        return { id, title, state: "fail" as const, detail: `the check failed: ${errorText(error)}`, fix };
      }
    }),
  );
}
