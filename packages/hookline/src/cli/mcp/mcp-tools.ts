import { unifiedDiff } from "../../config/unified-diff.js";
import { readVersion } from "../../hub/lifecycle/version.js";
import { withLock } from "../../machine/lock.js";
import { CliError } from "../cli-error.js";
import { examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectHub } from "../hub-client.js";
import { port, text, texts } from "../option-values.js";
import { askFor } from "../prompt.js";
import { MAIN } from "../up/run-demo.js";

/** What the commands of `@hookline/mcp` use of the command line. They get it: the package must not load a second copy of it. */
export const mcpTools = {
  version: readVersion(),
  /** The program of the command line, for entries in clients' settings. */
  main: MAIN,
  EXIT,
  examples,
  option: { text, texts, port },
  format: { tableLines, agoText, countText, unifiedDiff },
  /** A mistake on the command line. */
  usageError: (message: string, fix?: string) => new CliError(message, { exitCode: EXIT.usage, ...(fix !== undefined && { fix }) }),
  connectHub,
  readEras: async (env: NodeJS.ProcessEnv) => (await import("./read-eras.js")).readEras(env),
  /** Asks the person at the terminal. Without a terminal, throws with what answers instead. */
  askFor,
  /** Lets one process at a time do something that takes milliseconds. */
  withLock,
  /** To edit clients' files. */
  installTools: async () => (await import("./install-tools.js")).installTools,
} as const;

export type McpTools = typeof mcpTools;
