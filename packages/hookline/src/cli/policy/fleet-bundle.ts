import { errorText, readManaged, stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { type Bundle, readBundle } from "../../bundles/bundle.js";
import { readPin, readPinnedBytes } from "../../hub/bundles/pinned-bundle.js";
import type { BundleRulesAnswer } from "../../hub/protocol.js";
import { connectIfRunning } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

/** What commands show of the signed bundle that is in force on this machine. */
export type FleetBundle = Pick<Bundle, "name" | "serial" | "channel" | "files"> & { readonly signer: Pick<Bundle["signer"], "name"> };

/** The bundle as the hub has stored it. A managed hub says it itself, because only its user can read its files. */
export async function readFleetBundle({ env, say }: Pick<Terminal, "env" | "say">): Promise<FleetBundle | undefined> {
  try {
    if (readManaged() !== undefined) return await askManaged(env);
    const state = stateFolder(env);
    if (readPin(state) === undefined) return undefined;
    const bytes = readPinnedBytes(state);
    if (typeof bytes === "string") throw new Error(bytes);
    return readBundle(bytes);
  } catch (error) {
    say(inertText(`The policy bundle cannot be read: ${errorText(error)}`));
    return undefined;
  }
}

async function askManaged(env: NodeJS.ProcessEnv): Promise<FleetBundle | undefined> {
  const { bundle } = (await (await connectIfRunning(env))?.get<BundleRulesAnswer>("/api/policy/bundle/rules")) ?? {};
  if (bundle === undefined) return undefined;
  const files = new Map(Object.entries(bundle.files).map(([path, text]) => [path, Buffer.from(text)]));
  return { ...bundle, files, signer: { name: bundle.signer } };
}
