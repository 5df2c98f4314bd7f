import { readManaged } from "@hookline/core/internal/machine";
import { inertLines } from "@hookline/core/internal/text";
import type { HubOptions } from "../../hub/lifecycle/hub-options.js";
import { CliError } from "../cli-error.js";
import type { UpOptions } from "../commands/up.js";
import { isStartedByNpm } from "../end-with-npm.js";
import { EXIT } from "../exit-codes.js";
import type { FoundHub } from "../find-hub.js";
import { makeLink, openDashboard } from "../open/open-dashboard.js";
import { sayFaults } from "../status/hub-facts.js";
import type { Terminal } from "../terminal.js";
import { announce, warnOfHost } from "./announce.js";
import { runDemo } from "./run-demo.js";
import { waitForOld } from "./wait-for-old.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs the hub in this process until it is told to stop. */
export async function runHere(options: UpOptions, terminal: Terminal): Promise<number> {
  goOnUnread();
  outliveHooks(terminal);
  const stopping = waitForStop(terminal);
  const { startHub } = await import("../../hub/hub.js");
  const { port, host, remoteApprovals, data, config, open, demo } = options;
  const settings = { ...(port !== undefined && { port }), ...(host !== undefined && { host }), ...(data !== undefined && { data }) };
  const own = options.managed === true ? managedOptions() : {};
  const taking = options.takeOver === true ? { takeOver: true } : {};
  const approving = remoteApprovals === undefined ? {} : { remoteApprovals };
  const start = () =>
    startHub({
      ...settings,
      ...approving,
      ...(config !== undefined && { config }),
      ...own,
      ...taking,
      isTied: terminal.isInteractive || isStartedByNpm(),
      onProgress: (text) => tell(terminal, text),
      onProblem: (text) => tell(terminal, text),
      onStopRequest: stopping.stop,
    });
  const started = await startOrFind(start, terminal);
  if ("address" in started) {
    announce({ file: started.file, stop: "hookline down", isOld: true }, terminal);
    return EXIT.ok;
  }
  announce({ file: started.file, data: started.data, stop: terminal.isInteractive ? "Ctrl-C" : "hookline down" }, terminal);
  warnOfHost(options, terminal);
  for (const note of started.notes) terminal.say(note);
  sayFaults(started.parts.faults(), terminal);
  if (options.interim === true) started.parts.handOver();
  if (open === true) openDashboard((await makeLink(terminal.env)).url, terminal);
  if (demo === true) void runDemo(terminal).then(() => terminal.say("\nThe hub keeps running. Ctrl-C stops it."));
  await stopping.asked;
  await started.close();
  terminal.say("The hub has stopped. Stored events are kept.");
  return EXIT.ok;
}

function managedOptions(): Pick<HubOptions, "managed"> {
  const managed = readManaged();
  if (managed !== undefined) return { managed };
  throw new CliError("This machine has no managed hub.", { fix: { run: "sudo hookline service install --system" } });
}

const MAX_TRIES = 5;

/** If another hub holds the lock and is starting, that hub is used; if it is stopping, this start waits for it. */
async function startOrFind<T>(start: () => Promise<T>, terminal: Terminal): Promise<T | FoundHub> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "HL_HUB_RUNNING" || tries === MAX_TRIES) throw error;
    }
    const found = await waitForOld(terminal);
    if (found !== undefined) return found;
  }
}

/** Texts about files and events may contain control characters, which must not reach the terminal. */
function tell({ say, isInteractive }: Terminal, text: string): void {
  say(`${isInteractive ? "" : `${new Date().toISOString()} `}${inertLines(text)}`);
}

/** Hook code runs in this process. An error that it throws outside a call must not stop the hub and its guards. */
function outliveHooks(terminal: Terminal): void {
  const survive = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(terminal, `An error outside any call, most likely in a hook's code; the hub keeps running: ${what}`);
  };
  process.on("uncaughtException", survive);
  process.on("unhandledRejection", survive);
}

/** Unlike other commands, a hub keeps running after the reader of its output has gone. */
function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").on("error", () => {});
}

/** The first signal or a request starts a clean stop; a second signal exits at once. */
function waitForStop({ say }: Terminal): { readonly asked: Promise<void>; readonly stop: () => void } {
  let stop = (): void => {};
  const asked = new Promise<void>((resolve) => (stop = resolve));
  let count = 0;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      count += 1;
      if (count > 1) process.exit(EXIT.failed);
      say("Stopping the hub. Press Ctrl-C again to end it at once.");
      stop();
    });
  return { asked, stop };
}
