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
  /** What the user must do by hand. */
  readonly left: readonly string[];
}

/** Replaces all keys; the old ones stop working. Attached agents continue with the new ones. */
export async function rotateKeys(env: NodeJS.ProcessEnv, which: RotatedKeys): Promise<Rotated> {
  const hub = await connectIfUp(env);
  if (hub === undefined) return { isHubUp: false, left: rotateHere(env) };
  const { left } = await hub.post<RotateAnswer>("/api/token/rotate", JSON.stringify(which === "agents" ? { only: which } : {}));
  return { isHubUp: true, left };
}

/** A running hub that cannot be asked is an error: it would continue with the old keys. */
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

/** Other programs may have read a key in an agent's settings, so it is replaced once it is removed from them. */
export async function dropKeys({ file, after = "" }: Pick<EditPlan, "file" | "after">, terminal: Terminal): Promise<void> {
  const kept = keysIn(after);
  if (keysIn(file.text ?? "").every((key) => kept.includes(key))) return;
  const { left } = await rotateKeys(terminal.env, "agents").catch((cause: unknown) => {
    const message = `The key that was in its settings still works, because it could not be replaced: ${errorText(cause)}`;
    throw new CliError(message, { fix: { run: "hookline token rotate" }, cause });
  });
  terminal.say("The key that was in its settings no longer works.");
  for (const text of left) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inertText(text)}`);
}
