import { errorText } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { keysIn, renewHttp } from "../../agents/attach/http-entries.js";
import { attachFolder, createAttachKey, writeAttachKey } from "../../agents/client/attach-key.js";
import type { EditPlan } from "../../agents/install/plan-edit.js";
import type { RotatedKeys } from "../../hub/parts.js";
import type { RotateAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { saysNoHub } from "../find-hub.js";
import { connectHub, type HubClient } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import { readAttachSetting } from "./attach-setting.js";

interface Rotated {
  /** Whether a hub runs: without one only attached agents have keys. */
  readonly isHubUp: boolean;
  /** What has to be done by hand. */
  readonly left: readonly string[];
}

/** New keys in place of the old ones, which nobody gets in with any more. Attached agents go on. */
export async function rotateKeys(env: NodeJS.ProcessEnv, which: RotatedKeys): Promise<Rotated> {
  const hub = await connectIfUp(env);
  if (hub === undefined) return { isHubUp: false, left: rotateHere(env) };
  const { left } = await hub.post<RotateAnswer>("/api/token/rotate", JSON.stringify(which === "agents" ? { only: which } : {}));
  return { isHubUp: true, left };
}

/** A hub that runs and cannot be asked must not be passed over: it would go on with the old keys. */
async function connectIfUp(env: NodeJS.ProcessEnv): Promise<HubClient | undefined> {
  try {
    return await connectHub(env);
  } catch (error) {
    if (saysNoHub(error)) return undefined;
    throw error;
  }
}

function rotateHere(env: NodeJS.ProcessEnv): readonly string[] {
  const { state, socket, key: before } = readAttachSetting(env);
  const key = createAttachKey(before?.socket ?? socket);
  writeAttachKey(state, key);
  return renewHttp(attachFolder(state), { key });
}

/** A key that stood in an agent's settings may be known to others: once it is out of them, it is worth nothing. */
export async function dropKeys({ file, after = "" }: Pick<EditPlan, "file" | "after">, terminal: Terminal): Promise<void> {
  const kept = keysIn(after);
  if (keysIn(file.text ?? "").every((key) => kept.includes(key))) return;
  const { left } = await rotateKeys(terminal.env, "agents").catch((cause: unknown) => {
    const message = `The key that stood in its settings is still good, because it could not be replaced: ${errorText(cause)}`;
    throw new CliError(message, { fix: { run: "hookline token rotate" }, cause });
  });
  terminal.say("The key that stood in its settings is worth nothing any more.");
  for (const text of left) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(text)}`);
}
