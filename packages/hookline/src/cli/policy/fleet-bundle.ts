import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { type Bundle, readBundle } from "../../bundles/bundle.js";
import { readPin, readPinnedBytes } from "../../hub/bundles/pinned-bundle.js";
import type { Terminal } from "../terminal.js";

/** The signed bundle that is in force on this machine, as the hub has stored it. */
export function readFleetBundle({ env, say }: Pick<Terminal, "env" | "say">): Bundle | undefined {
  const state = stateFolder(env);
  if (readPin(state) === undefined) return undefined;
  try {
    const bytes = readPinnedBytes(state);
    if (typeof bytes === "string") throw new Error(bytes);
    return readBundle(bytes);
  } catch (error) {
    say(inertText(`The policy bundle cannot be read: ${errorText(error)}`));
    return undefined;
  }
}
