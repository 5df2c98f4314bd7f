import { EXIT } from "../exit-codes.js";
import { type FoundHub, findHub } from "../find-hub.js";
import { inertLines } from "../format/inert.js";
import { makeLink, openPage } from "../open/open-page.js";
import type { Terminal } from "../terminal.js";
import { announce } from "./announce.js";
import { runDemo } from "./run-demo.js";
import type { UpOptions } from "./up-options.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs the hub in this process until it is told to stop. */
export async function runHere(options: UpOptions, terminal: Terminal): Promise<number> {
  goOnUnread();
  outliveHooks(terminal);
  const stopping = waitForStop(terminal);
  const { startHub } = await import("../../hub/hub.js");
  const { port, host, data, config, open, demo } = options;
  const settings = { ...(port !== undefined && { port }), ...(host !== undefined && { host }), ...(data !== undefined && { data }) };
  const started = await startHub({
    ...settings,
    ...(config !== undefined && { config }),
    onProblem: (text) => tell(terminal, text),
    onStopRequest: stopping.stop,
  }).catch(async (error: unknown) => {
    if ((error as { readonly code?: unknown }).code !== "HL_HUB_RUNNING") throw error;
    const { file } = await findStarting(terminal.env);
    announce({ file, stop: "hookline down", isOld: true }, terminal);
    return undefined;
  });
  if (started === undefined) return EXIT.ok;
  announce({ file: started.file, data: started.data, stop: "Ctrl-C" }, terminal);
  for (const note of started.notes) terminal.say(note);
  if (open === true) openPage(await makeLink(terminal.env, false), terminal);
  if (demo === true) void runDemo(terminal).then(() => terminal.say("\nThe hub goes on. Ctrl-C stops it."));
  await stopping.asked;
  await started.close();
  terminal.say("The hub has stopped. What it stored is kept.");
  return EXIT.ok;
}

const STARTING_MS = 10_000;

/** Another one was faster, and may still be on its way: it has the lock before it can be found. */
async function findStarting(env: NodeJS.ProcessEnv): Promise<FoundHub> {
  for (const until = Date.now() + STARTING_MS; ; ) {
    const found = await findHub(env).catch((error: unknown) => {
      if (Date.now() > until) throw error;
    });
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What it says of files and events may hold anything, and must do nothing to the terminal. */
function tell({ say, isInteractive }: Terminal, text: string): void {
  say(`${isInteractive ? "" : `${new Date().toISOString()} `}${inertLines(text)}`);
}

/** Code of hooks runs in this process. What it throws when nobody is listening must not take the guards of everybody down. */
function outliveHooks(terminal: Terminal): void {
  const survive = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(terminal, `Something failed outside of any call, a hook's own code most likely, and the hub goes on: ${what}`);
  };
  process.on("uncaughtException", survive);
  process.on("unhandledRejection", survive);
}

/** A hub does not end, as other commands do, because nobody reads what it says any more. */
function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error").on("error", () => {});
}

/** The first signal, or a request, asks for a clean end; a second signal gets it at once. */
function waitForStop({ say }: Terminal): { readonly asked: Promise<void>; readonly stop: () => void } {
  let stop = (): void => {};
  const asked = new Promise<void>((resolve) => (stop = resolve));
  let count = 0;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      count += 1;
      if (count > 1) process.exit(EXIT.failed);
      say("Stopping the hub. Once more ends it at once.");
      stop();
    });
  return { asked, stop };
}
