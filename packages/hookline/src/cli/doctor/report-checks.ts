import { errorText } from "@hookline/core/internal/machine";
import { inertJson, inertLines } from "@hookline/core/internal/text";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import type { Style } from "../format/paint.js";
import type { Terminal } from "../terminal.js";
import type { Check, CheckState } from "./check.js";

const marks: { readonly [state: string]: readonly [Style, string] } = {
  ok: ["green", "ok  "],
  warn: ["yellow", "warn"],
  fail: ["red", "FAIL"],
  skip: ["dim", "-   "],
};

interface Diagnosis {
  readonly id: string;
  readonly title: string;
  readonly state: CheckState;
  readonly detail: string;
  /** The command that fixes it. */
  readonly fix: string;
}

interface ReportOptions {
  readonly json: boolean;
  /** The command to show instead of a check's own. */
  readonly fixOf?: (fix: string) => string;
}

/** Runs every check, prints what it found, and returns the exit code: 1 if one failed. */
export async function reportChecks<Facts>(
  checks: readonly Check<Facts>[],
  facts: Facts,
  terminal: Terminal,
  { json, fixOf = (fix) => fix }: ReportOptions,
): Promise<number> {
  const found = (await examine(checks, facts)).map((check) => ({ ...check, fix: terminal.typeable(fixOf(check.fix)) }));
  const failed = found.filter(({ state }) => state === "fail").length;
  if (json) terminal.print(inertJson(JSON.stringify({ ok: failed === 0, checks: found }, undefined, 2)));
  else for (const check of found) printCheck(check, terminal);
  const warned = found.filter(({ state }) => state === "warn").length;
  terminal.say(`${countText(found.length, "check")}: ${failed} failed, ${countText(warned, "warning")}.`);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

function printCheck({ title, state, detail, fix }: Diagnosis, { print, paint, typeable }: Terminal): void {
  const [style, mark] = marks[state] ?? ["dim", state];
  const isBad = state === "warn" || state === "fail";
  const [first = "", ...more] = typeable(inertLines(detail)).split("\n");
  print(`${paint(style, mark)} ${title}${isBad ? "" : paint("dim", `: ${first}`)}`);
  if (!isBad) return;
  for (const line of [first, ...more]) print(`       ${line}`);
  print(`       ${paint("dim", "run:")} ${paint("bold", inertLines(fix))}`);
}

/** One check that throws does not hide the others. */
function examine<Facts>(checks: readonly Check<Facts>[], facts: Facts): Promise<readonly Diagnosis[]> {
  return Promise.all(
    checks.map(async ({ id, title, fix, look }) => {
      try {
        const { state, detail, fix: own = fix } = await look(facts);
        return { id, title, state, detail, fix: own };
      } catch (error) {
        return { id, title, state: "fail" as const, detail: `the check failed: ${errorText(error)}`, fix };
      }
    }),
  );
}
