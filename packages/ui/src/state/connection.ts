import { computed, effect, signal } from "@preact/signals";
import { STREAM_EVENTS } from "../../../hookline/src/hub/protocol.js";
import type { PlacedEvent, StreamBye, StreamCurrent, StreamHello } from "../api/answers.js";
import { me, recogniseMe } from "./access.js";
import { say } from "./notices.js";
import { type Turn, takeTurn } from "./stream-turns.js";

export type Connection = "connecting" | "live" | "resting" | "restarting" | "stopped" | "lost";

const AWAY: ReadonlySet<Connection> = new Set(["restarting", "stopped", "lost"]);
/** A hub that says that it goes is mostly back before this. */
const RESTART_MS = 10_000;
/** When the hub said that it goes. */
let leftAt = 0;

/** How the page stands with the hub. */
export const connection = signal<Connection>("connecting");
/** The hub is not there: what is shown is from before. */
export const isAway = computed(() => AWAY.has(connection.value));
/** The hub's instance: another one after a restart. */
export const hubInstance = signal<string | undefined>(undefined);
/** Grows whenever the list of approvals may be another. */
export const approvalsChanged = signal(0);
/** The latest answer to a call that waited. */
export const lastReply = signal<PlacedEvent | undefined>(undefined);

interface Watch {
  /** The filter, as `/api/stream` takes it. */
  readonly query: string;
  /** Where to go on: events after this place come at once. */
  readonly after?: number;
  readonly onEvent: (event: PlacedEvent) => void;
  /** So much was missed that watchers should load everything again. */
  readonly onFarBehind?: () => void;
}

/** What a page without a live view needs to hear. */
const QUIET: Watch = { query: "event=approval:requested&event=permission:replied", onEvent: () => {} };
/** After a night's rest a busy hub is millions of events ahead, and the feed would keep the last few of them. */
const FAR_BEHIND = 20_000;
/** How long a window has the stream before the next one that waits. All of eight windows hear of an event within about a second. */
const TURN_MS = 500;
/** One that has much to catch up with continues where it stopped, at its next turn. */
const LONGEST_TURN_MS = 5_000;
const RETRY_MS = { first: 250, most: 4_000 };

let wanted: Watch = QUIET;
let source: EventSource | undefined;
let lastPlace: number | undefined;
/** Not greeted yet since it was begun. */
let isFresh = true;
let retryMs = RETRY_MS.first;
let timer: ReturnType<typeof setTimeout> | undefined;
let turn: Turn | undefined;
let turnTimer: ReturnType<typeof setInterval> | undefined;
/** The stream has sent everything that was missed. */
let isCurrent = false;

/** The page has one stream, and more windows than a browser has connections for take turns. A watcher keeps the connection open until it stops watching. */
export function watchEvents(watch: Watch): () => void {
  begin(watch);
  return () => {
    if (wanted === watch) begin(QUIET);
  };
}

export function startConnection(): void {
  begin(wanted);
  // Signed in again, perhaps in another tab.
  effect(() => {
    if (typeof me.value === "object" && source === undefined && connection.peek() !== "resting") open();
  });
}

/** Gives the stream up, for others to have a connection; what comes meanwhile is asked for on waking. */
export function pauseConnection(): void {
  close();
  connection.value = "resting";
}

export function resumeConnection(): void {
  if (connection.value !== "resting") return;
  connection.value = "connecting";
  open();
}

function begin(watch: Watch): void {
  wanted = watch;
  lastPlace = watch.after;
  isFresh = true;
  retryMs = RETRY_MS.first;
  open();
}

function close(): void {
  closeSource();
  endTurn();
}

function closeSource(): void {
  clearTimeout(timer);
  clearInterval(turnTimer);
  source?.close();
  source = undefined;
}

function endTurn(): void {
  turn?.end();
  turn = undefined;
}

function open(): void {
  closeSource();
  if (me.peek() === "nobody" || connection.peek() === "resting") return endTurn();
  if (turn?.hasBegun === true) connect(turn);
  else if (turn === undefined) {
    const mine = takeTurn(() => turn === mine && connect(mine));
    turn = mine;
  }
}

function connect(mine: Turn): void {
  closeSource();
  isCurrent = false;
  const began = { at: Date.now(), place: lastPlace };
  const after = lastPlace === undefined ? "" : `&after=${lastPlace}`;
  const made = new EventSource(`/api/stream?${wanted.query}${after}`);
  source = made;
  made.addEventListener(STREAM_EVENTS.hello, ({ data }) => greet(JSON.parse(data) as StreamHello));
  made.addEventListener(STREAM_EVENTS.hook, ({ data, lastEventId }) => take(data, lastEventId));
  made.addEventListener(STREAM_EVENTS.approval, () => approvalsChanged.value++);
  made.addEventListener(STREAM_EVENTS.current, ({ data }) => catchUp(JSON.parse(data) as StreamCurrent));
  made.addEventListener(STREAM_EVENTS.bye, ({ data }) => part(JSON.parse(data) as StreamBye));
  made.addEventListener("error", () => retry(awayState()));
  turnTimer = setInterval(() => {
    const isLong = lastPlace !== began.place && Date.now() - began.at > LONGEST_TURN_MS;
    if (isCurrent || isLong) void letOthers(mine, made);
  }, TURN_MS);
}

/** If another window waits, it is that one's turn, and this window waits for its next one. */
async function letOthers(mine: Turn, from: EventSource): Promise<void> {
  if (!(await mine.isWanted()) || turn !== mine || source !== from) return;
  close();
  open();
}

function greet({ instance, place }: StreamHello): void {
  lastPlace ??= place;
  // Of those that have just begun, the latest may be that old: few match.
  if (!isFresh && wanted.onFarBehind !== undefined && place - lastPlace > FAR_BEHIND) return wanted.onFarBehind();
  isFresh = false;
  retryMs = RETRY_MS.first;
  const isAnother = hubInstance.value !== undefined && hubInstance.value !== instance;
  const wasAway = isAway.value;
  connection.value = "live";
  hubInstance.value = instance;
  approvalsChanged.value++;
  if (isAnother) say("The hub was restarted. The stream continues where it stopped.");
  else if (wasAway) say("Connected again. The stream continues where it stopped.");
  if (wasAway || isAnother || me.value === "unknown") void recogniseMe();
}

function take(data: string, id: string): void {
  const event = JSON.parse(data) as PlacedEvent;
  const place = Number(id);
  lastPlace = place;
  if (event.event === "approval:requested" || event.event === "permission:replied") approvalsChanged.value++;
  if (event.event === "permission:replied") lastReply.value = event;
  wanted.onEvent({ ...event, place });
}

function catchUp({ place }: StreamCurrent): void {
  lastPlace = place;
  isCurrent = true;
}

function part({ reason }: StreamBye): void {
  if (reason !== "signed_out") {
    leftAt = Date.now();
    return retry(reason === "stopping" ? "stopped" : "restarting");
  }
  close();
  connection.value = "connecting";
  // Another tab may have signed in with other scopes by now.
  void recogniseMe();
}

/** One that has said that it goes, and one that did not. */
function awayState(): Connection {
  if (connection.value === "stopped") return "stopped";
  if (connection.value !== "restarting") return "lost";
  return Date.now() - leftAt > RESTART_MS ? "stopped" : "restarting";
}

/** A browser tries again by itself only while the hub answers 200, and does not say why it does not. */
function retry(state: Connection): void {
  const before = source;
  before?.close();
  clearInterval(turnTimer);
  endTurn();
  connection.value = state;
  clearTimeout(timer);
  timer = setTimeout(() => {
    void recogniseMe().then(() => {
      if (me.value === "nobody") close();
      else if (source === before) open();
    });
  }, retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_MS.most);
}
