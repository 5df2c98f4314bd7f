import { shownCallHash } from "../../hub/fleet/fleet-approvals.js";
import { readVersion } from "../../hub/lifecycle/version.js";
import type { readNewPasskey } from "../../hub/protect/passkeys.js";
import { takeLock } from "../../machine/lock.js";
import { examples } from "../command-module.js";
import { type UpOptions, command as up } from "../commands/up.js";
import { fail, ok, skip, warn } from "../doctor/check.js";
import { reportChecks } from "../doctor/report-checks.js";
import { EXIT } from "../exit-codes.js";
import { bytesText, countText, durationText } from "../format/amounts.js";
import { approvalLines } from "../format/approval-lines.js";
import { eventLine } from "../format/event-line.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectIfRunning } from "../hub-client.js";
import { port, text, texts, time } from "../option-values.js";
import { createPrompt } from "../prompt.js";
import type { Terminal } from "../terminal.js";
import { MAIN } from "../up/run-demo.js";
import { userName } from "../user-name.js";

/** What the commands of `@hookline/fleet` use of the command line. They get it: the package must not load a second copy of it. */
export const fleetTools = {
  version: readVersion(),
  /** The program of the command line, for processes of its own. */
  main: MAIN,
  EXIT,
  examples,
  option: { text, texts, time, port },
  format: { approvalLines, eventLine, tableLines, agoText, bytesText, countText, durationText },
  /** What "always" would pin of a call that waits. */
  callHash: shownCallHash,
  finding: { ok, skip, warn, fail },
  reportChecks,
  createPrompt,
  connectIfRunning,
  takeLock,
  userName,
  /** To check a new passkey. */
  readNewPasskey: async (...given: Parameters<typeof readNewPasskey>): ReturnType<typeof readNewPasskey> =>
    (await import("../../hub/protect/passkeys.js")).readNewPasskey(...given),
  /** To make, read and try bundles. */
  policyTools: async () => (await import("./policy-tools.js")).policyTools,
  up: (terminal: Terminal, options: UpOptions): Promise<number> => up.run(terminal, options, []),
} as const;

export type FleetTools = typeof fleetTools;
