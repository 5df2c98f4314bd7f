import { optionsIn, type RunPlan, type RunRequest } from "../shared/run-plan.js";
import { BYPASS, SESSION_FLAGS, unreviewedEvents } from "./hook-trust.js";
import { hookEntries } from "./install.js";

/** Codex accepts hooks with `-c` and adds them to those of its files. The commands are the same in each run, so one review is enough. */
export function planRun({ args, env, entries }: RunRequest): RunPlan {
  const hooks = hookEntries(entries);
  const given = Object.entries(hooks).flatMap(([event, groups]) => ["-c", `hooks.${event}=${toToml(groups)}`]);
  const inactive = whyInactive(
    args,
    unreviewedEvents(SESSION_FLAGS, hooks, () => true, env),
  );
  return { args: [...given, ...args], env: {}, ...(inactive !== undefined && { inactive }) };
}

function whyInactive(args: readonly string[], unreviewed: readonly string[]): string | undefined {
  const options = optionsIn(args);
  const own = options.find((word, at) => /^(-c|--config)$/.test(options[at - 1] ?? "") && /^(hooks|features\.hooks)\s*[.=]/.test(word));
  if (own !== undefined) return `"${own.slice(0, 60)}" on the command line would replace Hookline's hooks.`;
  if (options.includes(BYPASS) || unreviewed.length === 0) return undefined;
  return (
    "Codex silently skips hooks that you have not reviewed. " +
    `Start it once without "exec", type /hooks and trust them: that holds for later runs. Or, where you know all its hooks, give it ${BYPASS}.`
  );
}

/** On one line, as `-c` requires. JSON strings and numbers are also valid TOML. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}=${toToml(inner)}`)
    .join(",")}}`;
}
