import { setTimeout as sleep } from "node:timers/promises";
import { inertText } from "@hookline/core/internal/text";
import type { PlacedEvent, SessionsAnswer } from "../../hub/protocol.js";
import { ANSWERED, answerApproval } from "../answer-approval.js";
import { CliError } from "../cli-error.js";
import { listWaiting } from "../commands/approvals.js";
import { EXIT } from "../exit-codes.js";
import { approvalLines } from "../format/approval-lines.js";
import { type HubClient, Refusal } from "../hub-client.js";
import { newestPlace, readHistory, streamFrom } from "../tail/follow.js";
import type { Terminal } from "../terminal.js";
import { pressKey } from "./press-key.js";
import { openScreen, type Screen } from "./screen.js";
import { topLines } from "./top-lines.js";
import { type Question, startState, type TopState, withEvents, withWaiting } from "./top-state.js";

const REFRESH_MS = 2_000;
const CLOCK_MS = 1_000;
/** Many events in a short time are drawn together. */
const DRAW_MS = 50;
const PAST_EVENTS = 200;
const LIVE = { since: "15m", limit: "50" };
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const SIGNAL_NAMES = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];

/** Shows the hub's state and answers calls until the person, a signal or the end of the hub ends it. */
export async function runTop(hub: HubClient, terminal: Terminal): Promise<number> {
  const past = await readHistory(hub, new URLSearchParams(), PAST_EVENTS);
  const after = past.reduce((latest, { place }) => Math.max(latest, place), await newestPlace(hub));
  const top = new Top(hub, terminal, withEvents(startState(hub.file.url), past));
  try {
    return await Promise.race([top.ended, top.refreshing(), top.following(after)]);
  } finally {
    top.close();
  }
}

class Top {
  readonly ended: Promise<number>;
  readonly #hub: HubClient;
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #clock = setInterval(() => this.#draw(), CLOCK_MS);
  #state: TopState;
  #end: (code: number) => void = () => {};
  #drawing: NodeJS.Timeout | undefined;
  #isAnswering = false;

  constructor(hub: HubClient, terminal: Terminal, state: TopState) {
    this.#hub = hub;
    this.#terminal = terminal;
    this.#state = state;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    for (const name of SIGNAL_NAMES) process.on(name, this.#onSignal);
    this.#screen = openScreen(terminal.stdin, process.stdout, {
      onKeys: (keys) => this.#press(keys),
      onResize: () => this.#draw(),
      onEnd: () => this.#end(SIGNALS.SIGHUP),
    });
    this.#draw();
  }

  /** Reads what waits and what is live, again and again. Rejects if the hub is gone. */
  async refreshing(): Promise<never> {
    for (;;) {
      await this.#refresh().catch((error: unknown) => this.#bear(error));
      await sleep(REFRESH_MS);
    }
  }

  /** Shows decisions as they come. Rejects if the hub is gone. */
  async following(after: number): Promise<never> {
    for (let place = after; ; await sleep(REFRESH_MS)) {
      try {
        for await (const event of streamFrom(this.#hub, new URLSearchParams(), place)) {
          place = Math.max(place, event.place);
          this.#show(event);
        }
      } catch (error) {
        this.#bear(error);
      }
    }
  }

  close(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#drawing);
    for (const name of SIGNAL_NAMES) process.off(name, this.#onSignal);
    this.#screen.close();
  }

  readonly #onSignal = (name: NodeJS.Signals): void => this.#end(SIGNALS[name as keyof typeof SIGNALS]);

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#state = { ...this.#state, now: Date.now() };
    this.#screen.draw(topLines(this.#state, { ...this.#screen.size, paint: this.#terminal.paint }));
  }

  #show(event: PlacedEvent): void {
    this.#state = withEvents(this.#state, [event]);
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
    if (event.event === "approval:requested" || event.event === "permission:replied")
      void this.#refresh().catch(() => {
        // The next turn of `refreshing` says so.
      });
  }

  async #refresh(): Promise<void> {
    const [waiting, { sessions }] = await Promise.all([
      listWaiting(this.#hub),
      this.#hub.get<SessionsAnswer>("/api/sessions", new URLSearchParams(LIVE)),
    ]);
    this.#state = { ...withWaiting(this.#state, waiting), sessions };
    this.#draw();
  }

  /** A hub that is slow for a moment is not gone. */
  #bear(error: unknown): void {
    if (error instanceof Refusal || (error instanceof CliError && error.exitCode === EXIT.notRunning)) throw error;
    this.#say(textOf(error));
  }

  #press(keys: string): void {
    if (keys.includes("\u0003")) return this.#end(SIGNALS.SIGINT);
    if (this.#isAnswering) return;
    const [state, act] = pressKey(this.#state, keys, this.#screen.size);
    this.#state = state;
    this.#draw();
    if (act === "end") this.#end(EXIT.ok);
    else if (act !== undefined) void this.#answer(act);
  }

  /** On the terminal as it was: the hub may need the person's confirmation, and the answers can be read there afterwards. */
  async #answer({ approval, verdict }: Question): Promise<void> {
    this.#isAnswering = true;
    const { say, print } = this.#terminal;
    try {
      await this.#screen.during(async () => {
        for (const line of approvalLines(approval)) say(line);
        await answerApproval(this.#hub, approval, { verdict });
        print(`${inertText(approval.id)} ${ANSWERED[verdict]}`);
      });
      this.#say(`${approval.id} ${ANSWERED[verdict]}`);
    } catch (error) {
      this.#say(textOf(error));
    } finally {
      // One confirmation is for one answer.
      (await import("../protect/confirm.js")).forgetSecret();
      this.#isAnswering = false;
      await this.#refresh().catch(() => {
        // The next turn of `refreshing` says so.
      });
    }
  }

  #say(message: string): void {
    this.#state = { ...this.#state, message };
    this.#draw();
  }
}

/** What went wrong and what to do, on one line. */
function textOf(error: unknown): string {
  const { message = String(error), fix } = Object(error) as Partial<CliError>;
  return [message, typeof fix === "string" ? fix : fix === undefined ? "" : `Run: ${fix.run}`].join(" ").trim();
}
