import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readManaged } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { readVersion } from "../../hub/lifecycle/version.js";
import type { ApprovalsAnswer, HandOverAnswer, StatusAnswer } from "../../hub/protocol.js";
import { refuseNewerStore } from "../../hub/store/schema.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning, type HubClient, Refusal } from "../hub-client.js";
import { ageMs } from "../option-values.js";
import { createProgress } from "../progress.js";
import { replaceByService, runsAsService } from "../service/upgrade-service.js";
import { isOtherVersion } from "../status/other-version.js";
import type { Terminal } from "../terminal.js";
import { startDetached } from "../up/detach.js";
import { storePath } from "../verify/verify-transcript-file.js";
import { takeDown } from "./down.js";

interface UpgradeOptions {
  readonly check?: boolean;
  readonly force?: boolean;
  readonly wait?: number;
}

const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 250;

export const command: CommandModule<UpgradeOptions> = {
  define(command) {
    command
      .option("--check", "only say which version runs; exit code 1 if the hub or the hooks of an agent are not of this one")
      .option("--force", "also replace a hub of the same version")
      .option("--wait <time>", "how long to wait for calls that wait for a person (default: 60s)", ageMs)
      .addHelpText("after", "\nInstall the new version first: this command replaces the hub by the version that it is itself.")
      .addHelpText(
        "after",
        "Agents wait for the new hub; no call is denied because of the change. The store is copied before it is changed.\nAgents that an older version attached are attached again. A key that was in their settings is replaced.",
      )
      .addHelpText("after", examples("hookline upgrade", "hookline upgrade --check"));
  },

  async run(terminal, { check = false, force = false, wait = WAIT_MS }) {
    if (readManaged() !== undefined)
      throw new CliError("The hub of this machine is managed: its program is the copy that root has installed.", {
        fix: { run: "sudo hookline service install --system" },
      });
    const own = readVersion();
    const hub = await connectIfRunning(terminal.env);
    let isThis = true;
    if (hub === undefined) {
      refuseNewerStore(await storePath(undefined, terminal.env));
      terminal.say(`No hub is running. The next one has version ${own}: hookline up --detach`);
    } else {
      const status = await hub.get<StatusAnswer>("/api/status");
      if (!check && (force || isOtherVersion(status))) await replaceHub(hub, status, wait, terminal);
      else isThis = tellVersions(status, terminal);
    }
    if (check) return (await tellAgents(terminal)) && isThis ? EXIT.ok : EXIT.failed;
    const { renewAgents } = await import("../agents/outdated-agents.js");
    return (await renewAgents(terminal)) ? EXIT.ok : EXIT.failed;
  },
};

function tellVersions(status: StatusAnswer, { print, say }: Terminal): boolean {
  const own = readVersion();
  print(status.version);
  if (!isOtherVersion(status)) say(`The hub runs version ${own}, which is this one.`);
  else {
    const older = status.version === own ? "an older version of the same number" : `version ${inertText(status.version)}`;
    say(`The hub runs ${older}; this is ${own}. To replace it: hookline upgrade`);
  }
  return !isOtherVersion(status);
}

/** Whether the hooks of attached agents are those of this version. */
async function tellAgents({ env, say }: Terminal): Promise<boolean> {
  const { outdatedAgents } = await import("../agents/outdated-agents.js");
  const outdated = outdatedAgents(env).map(({ attached }) => attached.agent);
  if (outdated.length > 0) say(`An older version attached ${outdated.join(", ")}. To renew the hooks: hookline upgrade`);
  return outdated.length === 0;
}

/** Lets a hub in the background take the place of the one that runs. */
export async function replaceHub(hub: HubClient, status: StatusAnswer, waitMs: number, terminal: Terminal): Promise<void> {
  // Before the old hub is told anything: it goes on if this version cannot read its store.
  refuseNewerStore(join(status.data, "events.db"));
  await untilNoneWaits(hub, waitMs, terminal);
  const answer = await hub.post<HandOverAnswer>("/api/handover").catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });
  if (answer === undefined) await restart(hub, status, terminal);
  else if (await runsAsService(answer.pid, terminal)) await replaceByService(answer.startedWith, terminal);
  else await startDetached({ ...answer.startedWith, takeOver: true }, terminal);
  const next = await connectIfRunning(terminal.env);
  terminal.print(readVersion());
  const before = status.version === readVersion() ? "" : ` instead of ${inertText(status.version)}`;
  terminal.say(`The hub (process ${next?.file.pid}) has taken over: version ${readVersion()}${before}.`);
}

/** The first versions cannot hand over. At the same address, because agents may have it in their settings. */
async function restart({ file, folder }: HubClient, { data }: StatusAnswer, terminal: Terminal): Promise<void> {
  terminal.say(
    "The running hub is too old to hand over, so it is stopped first. Until the new one runs, calls of strict agents are denied, and other agents have no guard.",
  );
  await takeDown(terminal, false);
  await startDetached({ port: Number(new URL(file.url).port), ...(data !== folder && { data }) }, terminal);
}

type WaitingCalls = Pick<ApprovalsAnswer, "approvals"> & Partial<Pick<ApprovalsAnswer, "waiting">>;

/** An answer of a person must not be lost: the old hub has asked, and the new one does not know of it. */
async function untilNoneWaits(hub: HubClient, waitMs: number, terminal: Terminal): Promise<void> {
  const progress = createProgress(terminal);
  try {
    for (const end = Date.now() + waitMs; ; await sleep(LOOK_EVERY_MS)) {
      // The first versions know no limit, and do not count.
      const { approvals, waiting = approvals.length } = await hub.get<WaitingCalls>("/api/approvals");
      if (waiting === 0) return;
      progress.show(`${countText(waiting, "call")} for a person to answer …`);
      if (Date.now() < end) continue;
      throw new CliError(`${countText(waiting, "call")} still waiting for a person. The hub was not replaced.`, {
        fix: { run: "hookline approvals" },
      });
    }
  } finally {
    progress.end();
  }
}
