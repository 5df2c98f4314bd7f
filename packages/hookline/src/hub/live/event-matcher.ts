import type { Arrival } from "../parts.js";
import { isAsked } from "../store/gate-trail.js";
import { toolIn } from "../store/row.js";
import { crossesColons, type EventFilter } from "../store/store.js";
import { createTextMatcher } from "./words.js";

type Test = (arrival: Arrival) => boolean;

/** A filter for what has just been stored. It means what the store's own reader makes of it (`store/reader.ts`); `undefined` for one that takes everything. */
export function createEventMatcher(filter: EventFilter): Test | undefined {
  const tests = testsOf(filter);
  if (tests.length === 0) return undefined;
  return (arrival) => tests.every((test) => test(arrival));
}

function testsOf({ events, session, host, source, tool, decision, since, until, text }: EventFilter): Test[] {
  const tests: Test[] = [];
  if (events !== undefined && !events.includes("*")) tests.push(nameTest(events));
  if (session !== undefined) tests.push(({ envelope }) => envelope.session?.id === session);
  if (host !== undefined) tests.push((arrival) => arrival.host === host || (host === "*" && arrival.host !== undefined));
  if (source !== undefined) tests.push(({ envelope }) => envelope.source.app === source || envelope.source.instance === source);
  if (tool !== undefined) tests.push(({ envelope }) => sameTool(toolIn(envelope.payload), tool));
  if (decision === "ask") tests.push(({ envelope }) => envelope.decision !== undefined && isAsked(envelope.decision));
  else if (decision !== undefined) tests.push(({ envelope }) => envelope.decision?.verdict === decision);
  if (since !== undefined) tests.push(({ envelope }) => Date.parse(envelope.at) >= since);
  if (until !== undefined) tests.push(({ envelope }) => Date.parse(envelope.at) < until);
  // Last, because it costs most.
  if (text !== undefined && text.trim() !== "") {
    tests.push(createTextMatcher(text));
  }
  return tests;
}

function nameTest(events: readonly string[]): Test {
  const names = new Set(events.filter((event) => !event.endsWith(":*")));
  const prefixes = events.filter((event) => event.endsWith(":*")).map((pattern) => pattern.slice(0, -1));
  return ({ envelope: { event } }) => names.has(event) || prefixes.some((prefix) => covers(prefix, event));
}

function covers(prefix: string, event: string): boolean {
  return event.startsWith(prefix) && (crossesColons(prefix) || !event.includes(":", prefix.length));
}

/** As the store compares them: by ASCII letters in any case. */
function sameTool(found: string | undefined, wanted: string): boolean {
  return found !== undefined && (found === wanted || (found.length === wanted.length && lowered(found) === lowered(wanted)));
}

function lowered(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The same text for filters that mean the same. */
export function filterKey({ events, session, host, source, tool, decision, since, until, text }: EventFilter): string {
  return JSON.stringify([events === undefined ? null : [...events].sort(), session, host, source, tool, decision, since, until, text]);
}
