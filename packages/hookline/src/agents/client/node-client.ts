import { type ClientData, CUT_SHORT, MAX_INPUT_BYTES, NOISY_SHELL, REWRITE_FIELDS } from "./client-data.js";
import { SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/** The client for Node, where there is neither Perl nor curl. It is a program of its own: loading the package would take 100 ms. */
export function nodeClient(data: ClientData): string {
  const { events, ...rest } = data;
  const rows = Object.fromEntries(events.map(({ native, ...event }) => [native, event]));
  return `// Written by "hookline attach": asks the hub about an event of ${data.agent}. A changed file is refused.
const data = ${JSON.stringify({ ...rest, events: rows, cutShort: CUT_SHORT, noisyShell: NOISY_SHELL, rewrites: REWRITE_FIELDS, maxInput: MAX_INPUT_BYTES, maxReply: MAX_REPLY_BYTES, separator: SEPARATOR })};
${BODY}`;
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
  if (why !== "") note();
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

// The hub collects the file. Without one it grows to two megabytes and no further.
function note() {
  try {
    const log = join(folder, "misses.log");
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 2e6) return;
    appendFileSync(log, new Date().toISOString().replace(/\.\d+/, "") + " " + agent + " " + event + " " + why + "\n", { mode: 0o600 });
  } catch {}
}

// Whether a transform of outputs is closed: then the model must not see an output that the hub did not see. "hookline down" removes the file.
function isClosed() {
  const state = dirname(folder);
  const gates = join(state, "gates.json");
  // A hub without its gates: what it guards is not known.
  if (lstatSync(gates, { throwIfNoEntry: false }) === undefined) return existsSync(join(state, "hub.json"));
  let known = "";
  try {
    [known] = readFileSync(gates, "utf8").split("\n", 1);
  } catch {}
  if (!/^\{"v":1,"instance":".*"gates":\[.*\]\}$/.test(known)) return true;
  const [, one] = /\{"event":"tool:result",([^}]*)/.exec(known) ?? [];
  return one !== undefined && !one.endsWith('"onFailure":"open"');
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

// Other users must not be able to write here, or to read what is secret. Of a managed hub, a group may do exactly what it needs to.
function isOwn(path, kind, mask, shared) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o170000) !== kind || stats.uid !== owner) return false;
  if (data.group === undefined || shared === undefined) return (stats.mode & mask) === 0;
  return stats.gid === data.group && (stats.mode & 0o7777) === shared;
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

function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function readKey() {
  if (!isOwn(folder, 0o040000, 0o022) || !isOwn(join(folder, "key"), 0o100000, 0o077, 0o640)) return undefined;
  const text = readFileSync(join(folder, "key"), "latin1");
  const found =
    /^# ([\w-]{16,512})\nheader = "Authorization: Bearer ([\w-]{16,512})"\n(?:unix-socket = "((?:[^"\\\n]|\\.)+)"\n)?$/.exec(text);
  if (found === null) return undefined;
  const named = Buffer.from((found[3] ?? "").replace(/\\(.)/g, "$1"), "latin1").toString();
  return { seal: found[1], token: found[2], socket: data.sockets.includes(named) ? named : data.sockets[0] };
}

function ask() {
  let key;
  try {
    key = readKey();
  } catch {}
  if (key === undefined) return fail("key");
  const { seal, token, socket } = key;
  if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) return fail("connect");
  if (!isOwn(dirname(socket), 0o040000, 0o022) || !isOwn(socket, 0o140000, 0o022, 0o660)) return fail("socket");
  const nonce = randomBytes(16).toString("hex");
  const hub = connect({ path: socket });
  const parts = [];
  let [bytes, isConnected] = [0, false];
  let timer = setTimeout(() => fail("time"), 2000);
  const rearm = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail("time"), data.silence * 1000);
  };
  hub.on("connect", () => {
    isConnected = true;
    rearm();
    const head = Buffer.from(
      "POST /api/agents/" + agent + "/" + event + " HTTP/1.0\r\nHost: hookline\r\nAuthorization: Bearer " + token +
        "\r\nX-Hookline-Nonce: " + nonce + "\r\nContent-Type: application/json\r\nContent-Length: " + input.length + "\r\n\r\n",
    );
    hub.write(Buffer.concat([head, input]), rearm);
  });
  hub.on("data", (part) => {
    rearm();
    parts.push(part);
    bytes += part.length;
    if (bytes > data.maxReply + 65536) fail("size");
  });
  hub.on("error", (error) => (isConnected && error.code === "EPIPE" ? undefined : fail(isConnected ? "broken" : "connect")));
  hub.on("end", () => judge(Buffer.concat(parts), key, nonce));
  hub.on("close", () => fail("broken"));
}

function judge(answer, { seal }, nonce) {
  const start = answer.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer.subarray(0, 16).toString("latin1")) ?? [];
  if (start <= 0 || status === undefined) return fail("broken");
  if (Number(status) >= 400) return fail("status");
  const body = answer.subarray(start + 4);
  if (body.length > data.maxReply) return fail("size");
  let at = 0;
  while (body[at] === 10) at++;
  const [lead, mac] = /^\x1fhookline ([0-9a-f]{64}) /.exec(body.subarray(at, at + 80).toString("latin1")) ?? [];
  if (mac === undefined) return fail("answer");
  const reply = body.subarray(at + lead.length);
  const [head, exit, first, second] = /^(0|[1-9][0-9]{0,2}) ([0-9]{1,8}) ([0-9]{1,8})\x1f/.exec(reply.subarray(0, 40).toString("latin1")) ?? [];
  if (head === undefined || Number(exit) > 255) return fail("answer");
  const middle = head.length + Number(first);
  const end = middle + 1 + Number(second);
  if (reply[middle] !== 31 || reply.subarray(end).toString("latin1") !== separator + "end\n") return fail("answer");
  // Only the hub knows the seal, and this answer is to this question.
  if (mac !== sha256(seal + " " + sha256(seal + " " + nonce + " " + agent + " " + event + " ", reply))) return fail("seal");
  [why, out, err, code] = ["", reply.subarray(head.length, middle), reply.subarray(middle + 1, end), Number(exit)];
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
} else readInput(ask);
`;
