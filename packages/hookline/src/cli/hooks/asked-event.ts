import { existsSync, readFileSync } from "node:fs";
import { findEvent } from "@hookline/core";
import { resolveEvent } from "@hookline/core/internal";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { type Asked, eventIn, sampleOf } from "../../extensions/installed/try-handler.js";
import { samplePayload } from "../../extensions/samples.js";
import { eventFor, payloadFor } from "../../rules/example-event.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

/** What `hooks test` sends: what `--event` says, else the hook's own canary, else a sample of its first event. */
export function askedEvent(hook: InstalledHook, given: string | undefined, payload: object | undefined): Asked {
  const asked = given === undefined ? ownEvent(hook) : readAsked(given);
  return payload === undefined ? asked : { ...asked, payload };
}

function ownEvent({ hooks }: InstalledHook): Asked {
  const tried = hooks.find(({ canary }) => canary !== undefined);
  if (tried?.canary === undefined) return sampleOf(eventIn(hooks[0]?.event ?? "tool:before"));
  const event = eventFor([tried.event], ({ kind, outcomes }) => kind === "gate" && outcomes.includes("block")) ?? eventIn(tried.event);
  const canary = payloadFor(event, tried.canary, tried.tool);
  return { event, payload: typeof tried.canary === "string" ? { ...samplePayload(event), ...canary } : canary };
}

/** A name in any spelling, or a file that holds `{ event, payload }`. */
function readAsked(given: string): Asked {
  if (findEvent(given) !== undefined) return sampleOf(given);
  if (!existsSync(given)) {
    if (/[/\\]|\.json$/.test(given))
      throw new CliError(`There is no file "${given}".`, { exitCode: EXIT.usage, fix: { run: "hookline hooks test --help" } });
    return sampleOf(given);
  }
  try {
    const { event, payload } = JSON.parse(readFileSync(given, "utf8")) as { readonly event?: unknown; readonly payload?: unknown };
    const name = resolveEvent(String(event)).name;
    return { event: name, payload: typeof payload === "object" && payload !== null ? payload : samplePayload(name) };
  } catch (cause) {
    throw new CliError(`"${given}" holds no event: write { "event": "tool:before", "payload": { … } }.`, { exitCode: EXIT.usage, cause });
  }
}
