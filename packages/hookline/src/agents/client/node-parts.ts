/** What every client in JavaScript does. It needs `data`, and the modules that its own part requires. */
export const NODE_PARTS = String.raw`
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

// The hub collects the file. Without one it grows to two megabytes and no further.
function note(event, why) {
  try {
    const log = join(folder, "misses.log");
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 2e6) return;
    appendFileSync(log, new Date().toISOString().replace(/\.\d+/, "") + " " + agent + " " + event + " " + why + "\n", { mode: 0o600 });
  } catch {}
}

// Other users must not be able to write here, or to read what is secret. Of a managed hub, a group may do exactly what it needs to.
function isOwn(path, kind, mask, shared) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o170000) !== kind || stats.uid !== owner) return false;
  if (data.group === undefined || shared === undefined) return (stats.mode & mask) === 0;
  return stats.gid === data.group && (stats.mode & 0o7777) === shared;
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

// Asks the hub, and calls back with its answer or with the reason why there is none. Returns a function that ends the connection.
function exchange(event, input, done) {
  let key;
  try {
    key = readKey();
  } catch {}
  const stop = () => {};
  if (key === undefined) return done("key"), stop;
  const { seal, token, socket } = key;
  if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket() !== true) return done("connect"), stop;
  if (!isOwn(dirname(socket), 0o040000, 0o022) || !isOwn(socket, 0o140000, 0o022, 0o660)) return done("socket"), stop;
  const nonce = randomBytes(16).toString("hex");
  const hub = connect({ path: socket });
  const parts = [];
  let [bytes, isConnected, isDone] = [0, false, false];
  const end = (answer) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    hub.destroy();
    done(answer);
  };
  let timer = setTimeout(() => end("time"), 2000);
  const rearm = () => {
    clearTimeout(timer);
    if (!isDone) timer = setTimeout(() => end("time"), data.silence * 1000);
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
    if (bytes > data.maxReply + 65536) end("size");
  });
  hub.on("error", (error) => (isConnected && error.code === "EPIPE" ? undefined : end(isConnected ? "broken" : "connect")));
  hub.on("end", () => end(read(Buffer.concat(parts), { event, seal, nonce })));
  hub.on("close", () => end("broken"));
  return () => end("cut");
}

// The hub's answer, or what is wrong with it.
function read(answer, { event, seal, nonce }) {
  const start = answer.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer.subarray(0, 16).toString("latin1")) ?? [];
  if (start <= 0 || status === undefined) return "broken";
  if (Number(status) >= 400) return "status";
  const body = answer.subarray(start + 4);
  if (body.length > data.maxReply) return "size";
  let at = 0;
  while (body[at] === 10) at++;
  const [lead, mac] = /^\x1fhookline ([0-9a-f]{64}) /.exec(body.subarray(at, at + 80).toString("latin1")) ?? [];
  if (mac === undefined) return "answer";
  const reply = body.subarray(at + lead.length);
  const [head, exit, first, second] = /^(0|[1-9][0-9]{0,2}) ([0-9]{1,8}) ([0-9]{1,8})\x1f/.exec(reply.subarray(0, 40).toString("latin1")) ?? [];
  if (head === undefined || Number(exit) > 255) return "answer";
  const middle = head.length + Number(first);
  const end = middle + 1 + Number(second);
  if (reply[middle] !== 31 || reply.subarray(end).toString("latin1") !== separator + "end\n") return "answer";
  // Only the hub knows the seal, and this answer is to this question.
  if (mac !== sha256(seal + " " + sha256(seal + " " + nonce + " " + agent + " " + event + " ", reply))) return "seal";
  return { out: reply.subarray(head.length, middle), err: reply.subarray(middle + 1, end), code: Number(exit) };
}
`;
