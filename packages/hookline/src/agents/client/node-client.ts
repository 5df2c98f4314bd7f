import { type ClientData, CUT_SHORT, MAX_INPUT_BYTES, NOISY_SHELL, REWRITE_FIELDS } from "./client-data.js";
import { NODE_PARTS } from "./node-parts.js";
import { SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/** The client for Node, where there is neither Perl nor curl. It is a program of its own: loading the package would take 100 ms. */
export function nodeClient(data: ClientData): string {
  const { events, ...rest } = data;
  const rows = Object.fromEntries(events.map(({ native, ...event }) => [native, event]));
  return `// Written by "hookline attach": asks the hub about an event of ${data.agent}. A changed file is refused.
const data = ${JSON.stringify({ ...rest, events: rows, cutShort: CUT_SHORT, noisyShell: NOISY_SHELL, rewrites: REWRITE_FIELDS, maxInput: MAX_INPUT_BYTES, maxReply: MAX_REPLY_BYTES, separator: SEPARATOR })};
${NODE_PARTS}${BODY}`;
}

const BODY = String.raw`
const { appendFileSync, existsSync, lstatSync, readFileSync, statSync, writeSync } = require("fs");
const { createHash, randomBytes } = require("crypto");
const { connect } = require("net");
const { dirname, join } = require("path");
const { agent, folder, isStrict, owner, separator } = data;
let event = process.argv[2] ?? "";
const row = Object.hasOwn(data.events, event) ? data.events[event] : { isGate: false, limit: data.otherLimit };
const { isGate, limit, denial, held } = row;
let { stdout: out, stderr: err, exitCode: code } = denial ?? { stdout: "", stderr: "", exitCode: 0 };
let [why, isLost, isHeld, isDone, input] = ["cut", false, false, false, Buffer.alloc(0)];
process.umask(0o077);

function finish() {
  if (isDone) return;
  isDone = true;
  if (why !== "" && isHeld) out = fill(input.toString()) || out;
  if (!put(1, out)) isLost = true;
  // A decision of the hub that cannot be printed must not be lost either.
  if (isLost && isGate && (isStrict || why === "")) {
    code = 2;
    err ||= data.cutShort;
  }
  put(2, err);
  if (why !== "") note(event, why);
  process.reallyExit(code);
}

function fail(reason) {
  why = reason;
  finish();
}

function put(fd, text) {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN" && error.code !== "EINTR") return false;
    }
  }
  return true;
}

// The agent takes another output only in the shape of that tool's.
function fill(text) {
  if (data.fill === undefined) return "";
  const { before, behind, fixed, kindFields } = data.fill;
  const withheld = JSON.parse(data.fill.text);
  let call;
  try {
    call = JSON.parse(text);
  } catch {
    return "";
  }
  const tool = String(call?.tool_name);
  const value = call?.tool_response;
  if (typeof value === "string") return before + data.fill.text + behind;
  const fits = fixed.find((one) => one.tool === (tool.startsWith("mcp__") ? "mcp__*" : tool));
  if (fits !== undefined) return fits.reply;
  if (typeof value !== "object" || value === null) return "";
  const filled = (one, key) => {
    if (typeof one === "string") return one === "" || (kindFields.includes(key) && /^[a-z][a-z_]{0,31}$/.test(one)) ? one : withheld;
    if (typeof one === "number") return 1;
    if (typeof one !== "object" || one === null) return one === true ? false : one;
    if (Array.isArray(one)) return one.map((member) => filled(member, key));
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, filled(member, name)]));
  };
  return before + JSON.stringify(filled(value, "")) + behind;
}

// Whether the agent's shell, started once more, prints nothing before the command.
function isQuiet() {
  const [program, ...words] = data.shell === "login" ? [loginShell(), "-c"] : data.shell;
  const { HOME, BASH_ENV, ZDOTDIR, LEVEL = "" } = process.env;
  const env = { PATH: "/usr/bin:/bin:/usr/local/bin", ...(HOME && { HOME }), ...(BASH_ENV && { BASH_ENV }), ...(ZDOTDIR && { ZDOTDIR }) };
  if (/^[0-9]+$/.test(LEVEL)) env.SHLVL = String(LEVEL - 1);
  const { stdout } = require("child_process").spawnSync(program, [...words, "echo hookline"], { env, timeout: 5000, stdio: ["inherit", "pipe", "ignore"] });
  return String(stdout).replace(/\n$/, "") === "hookline";
}

function loginShell() {
  try {
    return require("os").userInfo().shell || "/bin/bash";
  } catch {
    return "/bin/bash";
  }
}

function judge(answer) {
  if (typeof answer === "string") return fail(answer);
  [why, out, err, code] = ["", answer.out, answer.err, answer.code];
  if (err.length === 0) err = "";
  if (isGate && data.shell !== undefined && code === 0 && data.rewrites.some((field) => out.includes('"' + field + '":')) && !isQuiet())
    [out, err, code] = ["", data.noisyShell, 2];
  finish();
}

function readInput(then) {
  const parts = [];
  let bytes = 0;
  process.stdin.on("data", (part) => {
    bytes += part.length;
    if (bytes - part.length <= data.maxInput) parts.push(part);
  });
  process.stdin.on("error", () => fail("stdin"));
  process.stdin.on("end", () => {
    input = Buffer.concat(parts);
    then();
  });
}

process.exitCode = 9;
process.on("uncaughtException", () => fail("broken"));
// Cut short, the last word is the exit code: 2 blocks with all agents, if there is a text.
if (denial !== undefined)
  for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"])
    process.on(signal, () => {
      isLost = true;
      finish();
    });
// Until the hub has answered, what is said is that the output is withheld.
if (held !== undefined && isClosed()) {
  ({ stdout: out, stderr: err, exitCode: code } = held);
  isHeld = true;
}
setTimeout(() => fail("time"), limit * 1000);
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.reallyExit(2), 500);
if (!/^[A-Za-z0-9_]+$/.test(event)) {
  event = "-";
  fail("event");
} else readInput(() => exchange(event, input, judge));
`;
