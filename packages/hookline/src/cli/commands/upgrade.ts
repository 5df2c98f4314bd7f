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
import type { Terminal } from "../terminal.js";
import { startDetached } from "../up/detach.js";
import { storePath } from "../verify/verify-transcript-file.js";

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
      .option("--check", "only say which version runs; exit code 1 if it is not this one")
      .option("--force", "also replace a hub of the same version")
      .option("--wait <time>", "how long to wait for calls that wait for a person (default: 60s)", ageMs)
      .addHelpText("after", "\nInstall the new version first: this command replaces the hub by the version that it is itself.")
      .addHelpText(
        "after",
        "Agents wait for the new hub; no call is denied because of the change. The store is copied before it is changed.",
      )
      .addHelpText("after", examples("npm install --global hookline@latest && hookline upgrade", "hookline upgrade --check"));
  },

  async run(terminal, { check = false, force = false, wait = WAIT_MS }) {
    if (readManaged() !== undefined)
      throw new CliError("The hub of this machine is managed: its program is the copy that root has installed.", {
        fix: { run: "sudo hookline service install --system" },
      });
    const own = readVersion();
    const hub = await connectIfRunning(terminal.env);
    if (hub === undefined) {
      refuseNewerStore(await storePath(undefined, terminal.env));
      terminal.say(`No hub is running. The next one has version ${own}: hookline up --detach`);
      return EXIT.ok;
    }
    const { version } = await hub.get<StatusAnswer>("/api/status");
    if (check || (version === own && !force)) return tellVersions(version, own, terminal);
    await replace(hub, wait, terminal);
    const next = await connectIfRunning(terminal.env);
    terminal.print(own);
    terminal.say(`The hub (process ${next?.file.pid}) has taken over: version ${own} instead of ${inertText(version)}.`);
    return EXIT.ok;
  },
};

function tellVersions(running: string, own: string, { print, say }: Terminal): number {
  print(running);
  if (running === own) {
    say(`The hub runs version ${own}, which is this one.`);
    return EXIT.ok;
  }
  say(`The hub runs version ${inertText(running)}; this is ${own}. To replace it: hookline upgrade`);
  return EXIT.failed;
}

async function replace(hub: HubClient, waitMs: number, terminal: Terminal): Promise<void> {
  const { data } = await hub.get<StatusAnswer>("/api/status");
  // Before the old hub is told anything: it goes on if this version cannot read its store.
  refuseNewerStore(join(data, "events.db"));
  await untilNoneWaits(hub, waitMs, terminal);
  const answer = await hub.post<HandOverAnswer>("/api/handover").catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });
  if (answer === undefined)
    throw new CliError("The running hub is too old to hand over. To replace it with a pause of about a second:", {
      fix: { run: "hookline down && hookline up --detach" },
    });
  if (await runsAsService(answer.pid, terminal)) return replaceByService(answer.startedWith, terminal);
  await startDetached({ ...answer.startedWith, takeOver: true }, terminal);
}

/** An answer of a person must not be lost: the old hub has asked, and the new one does not know of it. */
async function untilNoneWaits(hub: HubClient, waitMs: number, terminal: Terminal): Promise<void> {
  const progress = createProgress(terminal);
  try {
    for (const end = Date.now() + waitMs; ; await sleep(LOOK_EVERY_MS)) {
      const { waiting } = await hub.get<Pick<ApprovalsAnswer, "waiting">>("/api/approvals", new URLSearchParams({ limit: "1" }));
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
