import { createTrust } from "../../extensions/trust/trust.js";
import { findHooks } from "../hooks/find-hooks.js";
import type { KnownHook } from "../hooks/known-hook.js";
import { type Check, fail, ok, warn } from "./check.js";

export const hookChecks: readonly Check[] = [
  {
    id: "hooks",
    title: "Every hook can run",
    mend: "hookline hooks doctor",
    async look({ env }) {
      const hooks = await findHooks(env, process.cwd());
      const broken = hooks.filter(({ state }) => state === "rejected" || state === "modified");
      if (broken.length > 0) return fail(`these do not: ${named(broken)}`);
      const waiting = hooks.filter(({ state }) => state === "untrusted");
      return waiting.length === 0 ? ok(`${hooks.length} found`) : warn(`nobody has consented to ${named(waiting)}`, "hookline hooks trust");
    },
  },
  {
    id: "hooks-reviewed",
    title: "Your own hooks are those you last looked at",
    mend: "hookline hooks doctor --reviewed",
    async look({ env, state }) {
      const own = (await findHooks(env, process.cwd())).filter(({ from }) => from === "user");
      const added = createTrust(state).newSinceReview(Object.fromEntries(own.map(({ name, fingerprint }) => [name, fingerprint])));
      return added.length === 0 ? ok(`${own.length} reviewed`) : warn(`new or changed since your last review: ${added.join(", ")}`);
    },
  },
];

function named(hooks: readonly KnownHook[]): string {
  return hooks.map(({ name, state }) => `${name} (${state})`).join(", ");
}
