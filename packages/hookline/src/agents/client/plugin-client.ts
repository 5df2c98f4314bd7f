import { type ClientData, CUT_SHORT, MAX_INPUT_BYTES } from "./client-data.js";
import { NODE_PARTS } from "./node-parts.js";
import { SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/**
 * The client inside the process of an agent that has plugins and no hooks of its own. It is the body of a function that gets `require` and returns the
 * plugin. `hooks` is the agent's own part, which calls `ask` and `tell`.
 */
export function pluginClient(data: ClientData, hooks: string): string {
  const { events, ...rest } = data;
  const rows = Object.fromEntries(events.map(({ native, ...event }) => [native, event]));
  return `// Written by "hookline attach": asks the hub about the events of ${data.agent}, in its process. A changed file is refused.
const data = ${JSON.stringify({ ...rest, events: rows, cutShort: CUT_SHORT, maxInput: MAX_INPUT_BYTES, maxReply: MAX_REPLY_BYTES, separator: SEPARATOR })};
${NODE_PARTS}${ASK}${hooks}`;
}

/** The variable in which `hookline attach --check` gives a call to the plugin, and the words before the plugin's answer on stderr. */
export const PROBE_VARIABLE = "HOOKLINE_PROBE";
export const PROBE_MARK = "hookline-probe ";

const ASK = String.raw`
const { appendFileSync, existsSync, lstatSync, readFileSync, statSync } = require("node:fs");
const { createHash, randomBytes } = require("node:crypto");
const { connect } = require("node:net");
const { dirname, join } = require("node:path");
const { agent, folder, owner, separator } = data;

// What the hub says about an event, or what is done without its answer: an object, empty where the agent continues. Never fails.
async function ask(event, payload) {
  const row = Object.hasOwn(data.events, event) ? data.events[event] : { isGate: false, limit: data.otherLimit };
  let fallback = row.denial;
  let why = "broken";
  try {
    if (row.held !== undefined && isClosed()) fallback = row.held;
    const answer = await answerTo(event, payload, row.limit);
    if (typeof answer !== "string") return documentOf(answer, row);
    why = answer;
  } catch {}
  note(event, why);
  if (fallback === undefined) return {};
  try {
    return documentOf({ out: fallback.stdout, err: fallback.stderr, code: fallback.exitCode }, row);
  } catch {
    return { block: data.cutShort };
  }
}

function answerTo(event, payload, limit) {
  return new Promise((resolve) => {
    const input = Buffer.from(JSON.stringify({ ...payload, hook_event_name: event })).subarray(0, data.maxInput);
    let stop = () => {};
    const timer = setTimeout(() => {
      stop();
      resolve("time");
    }, limit * 1000);
    stop = exchange(event, input, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

// Throws for an answer that the plugin cannot act on. An exit code that denies does so whatever else is said.
function documentOf({ out, err, code }, { isGate }) {
  const text = String(out);
  const document = text === "" ? {} : JSON.parse(text);
  if (typeof document !== "object" || document === null || Array.isArray(document)) throw new Error("not a document");
  if (code === 0 || !isGate || typeof document.block === "string") return document;
  return { ...document, block: String(err).trim() || data.cutShort };
}

// Events that cannot be changed are sent one after the other, and the agent does not wait.
let told = Promise.resolve();
function tell(event, payload) {
  told = told.then(() => ask(event, payload));
  return told;
}

// "hookline attach --check" runs the agent with a call that must be denied.
async function probe() {
  const text = process.env.${PROBE_VARIABLE};
  if (text === undefined || text === "") return;
  const { event, payload } = JSON.parse(text);
  process.stderr.write("\n${PROBE_MARK}" + JSON.stringify(await ask(event, payload)) + "\n");
}

// The whole content of an object, which the agent goes on using.
function refill(object, content) {
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, content);
}
`;
