import { join } from "node:path";
import { openFolder } from "@hookline/core/internal/machine";
import { stringify } from "smol-toml";
import { attachFolder } from "../../agents/client/attach-key.js";
import { readAgentFile, refused, replaceAgentFile } from "../../agents/install/agent-file.js";
import { replaced } from "../../agents/install/edit-text.js";
import { hashOf } from "../../agents/install/installed.js";
import { memberOf, parseDocument, plainJson, readSettings } from "../../agents/install/json-document.js";
import { explained } from "../../agents/install/plan-edit.js";
import { parseToml } from "../../agents/install/toml-hooks.js";
import { withLock } from "../../machine/lock.js";

/** What `hookline mcp attach` uses to edit clients' files. Loaded when it is needed. */
export const installTools = {
  attachFolder,
  readAgentFile,
  replaceAgentFile,
  refused,
  explained,
  hashOf,
  json: { parseDocument, plainJson, readSettings, memberOf, replaced },
  toml: { parse: parseToml, stringify },
  /** Runs it while no other process attaches or detaches. */
  alone: <T>(state: string, path: string, act: () => T): T =>
    withLock(
      join(openFolder(attachFolder(state)), "attach.lock"),
      () => refused(path, "waits for another process that attaches or detaches an agent", { fix: "Run this again." }),
      act,
    ),
} as const;

export type InstallTools = typeof installTools;
