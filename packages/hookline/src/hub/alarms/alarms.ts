import type { Fix } from "@hookline/core";
import { fixText } from "@hookline/core/internal";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { newId } from "../ingest/new-id.js";
import type { Alarm, AlarmsAnswer, ProcessRow } from "../protocol.js";

/** `refused`: a process tried to operate. `tampered`: a file that the guards depend on changed. `loosened`: the policy allows more. `changed`: the same in plain mode, where it is most likely the owner's own edit: a notice. `operated`: a process without a terminal operated. */
type AlarmKind = Alarm["kind"];

export interface AlarmReport {
  readonly kind: AlarmKind;
  /** One sentence: what happened. */
  readonly text: string;
  readonly fix?: Fix | undefined;
  /** The process that did it, if it is known. */
  readonly process?: ProcessRow | undefined;
  /** The attached agent that is concerned. */
  readonly agent?: string | undefined;
  /** The file that is concerned. */
  readonly path?: string | undefined;
  /** Further fields of the stored event. */
  readonly payload?: object;
}

/** What a person must look at. Each alarm is stored as an event, and listed until a person acknowledges it. */
export interface Alarms {
  raise(report: AlarmReport): void;
  list(): AlarmsAnswer;
  /** Acknowledges the alarms with these ids and as many of those that are only counted, or all of them. Returns how many there were. */
  acknowledge(by: string, ids?: readonly string[], counted?: number): number;
  close(): void;
}

export interface AlarmsOptions {
  readonly state: string;
  readonly tell: (event: AlarmEvent, payload: object) => void;
  readonly onProblem: (text: string) => void;
  readonly now?: () => number;
}

type AlarmEvent = "permission:refused" | "guard:tampered";

const EVENTS: { readonly [Kind in AlarmKind]: AlarmEvent } = {
  refused: "permission:refused",
  tampered: "guard:tampered",
  loosened: "guard:tampered",
  changed: "guard:tampered",
  operated: "guard:tampered",
};
/** Listed, and not waited for. */
const NOTICE: AlarmKind = "changed";
const FILE = "alarms.json";
/** Different alarms in the list; of older ones, only the number is kept. */
const MAX_LISTED = 200;
const MAX_TEXT = 1_000;
/** So many refusals a second are stored as events. Endless attempts must not fill the store; the list counts all of them. */
const MAX_REFUSALS = 10;
/** The file is written at once for a new alarm; further ones of the same kind wait for this long. */
const WRITE_MS = 200;

/** Alarms survive a restart of the hub. Equal ones are counted until a person acknowledges them. */
export function createAlarms({ state, tell, onProblem, now = Date.now }: AlarmsOptions): Alarms {
  let { alarms, unlisted } = readKept(readPrivateJson(state, FILE));
  let timer: NodeJS.Timeout | undefined;
  let [second, refusals, suppressed] = [0, 0, 0];

  function store(kind: AlarmKind, payload: object): void {
    if (kind !== "refused") return tell(EVENTS[kind], payload);
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, refusals] = [current, 0];
    if (++refusals > MAX_REFUSALS) return void suppressed++;
    tell(EVENTS[kind], { ...payload, ...(suppressed > 0 && { suppressed }) });
    suppressed = 0;
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      writePrivateJson(state, FILE, { alarms, unlisted });
    } catch (error) {
      onProblem(`The alarms could not be saved, so a restart of the hub forgets them: ${(error as Error).message}`);
    }
  }

  function add(alarm: Alarm): void {
    alarms = [...alarms, alarm];
    if (alarms.length > MAX_LISTED) {
      // What a person has seen goes first. Then the kind with most entries loses its oldest, so that many of one kind push out no other.
      const sizeOf = ({ kind }: Alarm): number => alarms.filter((other) => other.kind === kind).length;
      const largest = alarms.reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most));
      const dropped = alarms.find(({ acknowledged }) => acknowledged !== undefined) ?? largest;
      alarms = alarms.filter((kept) => kept !== dropped);
      if (dropped.acknowledged === undefined && dropped.kind !== NOTICE) unlisted += dropped.count;
    }
    write();
  }

  return {
    raise({ kind, text, fix, process, agent, path, payload }) {
      const about = {
        kind,
        text: inertText(text).slice(0, MAX_TEXT),
        ...(fix !== undefined && { fix: fixText(fix) }),
        ...(agent !== undefined && { agent }),
        ...(path !== undefined && { path }),
      };
      store(kind, { ...eventOf(about), ...(process !== undefined && { process }), ...payload });
      const at = now();
      const same = alarms.find((alarm) => alarm.acknowledged === undefined && isSame(alarm, about));
      if (same === undefined)
        return add({ id: newId(), ...about, ...(process !== undefined && { process }), firstAt: at, lastAt: at, count: 1 });
      const counted = { ...same, ...(process !== undefined && { process }), lastAt: at, count: same.count + 1 };
      alarms = alarms.map((alarm) => (alarm === same ? counted : alarm));
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    list() {
      const waiting = alarms.filter(({ acknowledged, kind }) => acknowledged === undefined && kind !== NOTICE);
      return {
        alarms: alarms.toSorted((a, b) => b.lastAt - a.lastAt),
        waiting: waiting.reduce((sum, { count }) => sum + count, unlisted),
        unlisted,
      };
    },
    acknowledge(by, ids, counted = ids === undefined ? unlisted : 0) {
      const older = Math.min(counted, unlisted);
      const isMeant = ({ id, acknowledged }: Alarm): boolean => acknowledged === undefined && (ids === undefined || ids.includes(id));
      const meant = alarms.filter(isMeant).reduce((sum, { count }) => sum + count, older);
      const acknowledged = { by, at: now() };
      alarms = alarms.map((alarm) => (isMeant(alarm) ? { ...alarm, acknowledged } : alarm));
      unlisted -= older;
      write();
      return meant;
    },
    close() {
      if (timer !== undefined) write();
    },
  };
}

type About = Pick<Alarm, "kind" | "text" | "agent" | "path">;

/** What the stored event says. A refusal says it in its own fields. */
function eventOf({ kind, text, agent, path }: About): object {
  return {
    ...(kind !== "refused" && { what: text, change: kind }),
    ...(agent !== undefined && { agent }),
    ...(path !== undefined && { path }),
  };
}

function isSame(a: About, b: About): boolean {
  return a.kind === b.kind && a.text === b.text && a.agent === b.agent && a.path === b.path;
}

interface Kept {
  readonly alarms: readonly Alarm[];
  readonly unlisted: number;
}

function readKept(value: unknown): Kept {
  const { alarms, unlisted } = Object(value) as { readonly [Field in keyof Kept]?: unknown };
  return {
    alarms: Array.isArray(alarms) ? alarms.filter(isAlarm).slice(-MAX_LISTED) : [],
    unlisted: Number.isSafeInteger(unlisted) && (unlisted as number) > 0 ? (unlisted as number) : 0,
  };
}

function isAlarm(value: unknown): value is Alarm {
  const { id, kind, text, count, firstAt, lastAt } = Object(value) as { readonly [Field in keyof Alarm]?: unknown };
  const areNumbers = [count, firstAt, lastAt].every(Number.isSafeInteger);
  return typeof id === "string" && typeof text === "string" && typeof kind === "string" && Object.hasOwn(EVENTS, kind) && areNumbers;
}
