import { join } from "node:path";
import { agents as attachable } from "../../agents/agents.js";
import { followHub, renewHttp } from "../../agents/attach/http-entries.js";
import { createAttachKey, openAttachKey, writeAttachKey } from "../../agents/client/attach-key.js";
import { keepMetricsDigest } from "../auth/metrics-token.js";
import { createTokens } from "../auth/tokens.js";
import type { RotatedKeys } from "../parts.js";
import type { HubSetting } from "./hub-options.js";

/** The hub's tokens, the key of attached agents, and the address under which agents with http hooks find the hub. */
export function openKeys({ folders, tokens: kept }: Pick<HubSetting, "folders" | "tokens">) {
  const agents = folders.attached;
  let key = openAttachKey(folders.shared, join(folders.runtime, "http.sock"));
  let url = "";
  let onRotated = (): void => {};
  const tokens = createTokens(
    key,
    attachable.filter(({ install }) => install.canPost === true).map(({ id }) => id),
    { metrics: keepMetricsDigest(folders.state), kept },
  );
  return {
    tokens,
    onRotated(listener: () => void): void {
      onRotated = listener;
    },
    /** Tells attached agents the hub's address. Returns what has to be done by hand. */
    useUrl(current: string): readonly string[] {
      url = current;
      return followHub(agents, { url, key });
    },
    /** New keys. If they cannot be written, the old ones stay valid. Returns what has to be done by hand. */
    rotate(which: RotatedKeys): readonly string[] {
      const next = createAttachKey(key.socket);
      const takeBack = tokens.rotate(next, which);
      try {
        onRotated();
        writeAttachKey(folders.shared, next);
      } catch (error) {
        takeBack();
        try {
          onRotated();
        } catch {
          // The first error is reported.
        }
        throw error;
      }
      key = next;
      return renewHttp(agents, { url, key });
    },
  };
}
