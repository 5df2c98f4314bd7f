import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bus, createBus, HookError } from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import type { Envelope } from "@hookline/core/sinks";
import { createCallReader, createEventPreparer, openStore } from "hookline/internal";
import { expect, onTestFinished } from "vitest";
import { agents } from "../../packages/hookline/src/agents/agents.ts";
import type { AttachKey } from "../../packages/hookline/src/agents/client/key-file.ts";
import { createAgentCalls } from "../../packages/hookline/src/hub/agents/agent-calls.ts";
import { createLoadedCommands } from "../../packages/hookline/src/hub/agents/loaded-commands.ts";
import { createAlarms } from "../../packages/hookline/src/hub/alarms/alarms.ts";
import { openAlwaysAllow } from "../../packages/hookline/src/hub/approvals/always-allow.ts";
import { createApprovals } from "../../packages/hookline/src/hub/approvals/approvals.ts";
import { createAgentProcesses } from "../../packages/hookline/src/hub/auth/agent-processes.ts";
import { createDashboardLogins } from "../../packages/hookline/src/hub/auth/dashboard-logins.ts";
import { createTokens } from "../../packages/hookline/src/hub/auth/tokens.ts";
import { createBundlePolicy } from "../../packages/hookline/src/hub/bundles/bundle-policy.ts";
import { createDecisions } from "../../packages/hookline/src/hub/decisions/decisions.ts";
import { createSessionEffects } from "../../packages/hookline/src/hub/effects/session-effects.ts";
import { openPeopleAccess } from "../../packages/hookline/src/hub/fleet/people-access.ts";
import { createAskedEvents } from "../../packages/hookline/src/hub/gates/asked-events.ts";
import { createGates } from "../../packages/hookline/src/hub/gates/gates.ts";
import { createPause, withPause } from "../../packages/hookline/src/hub/gates/pause.ts";
import { createCarriedCounts } from "../../packages/hookline/src/hub/handlers/carried-counts.ts";
import { createRouter } from "../../packages/hookline/src/hub/http/router.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../../packages/hookline/src/hub/http-server.ts";
import { createImports } from "../../packages/hookline/src/hub/import/imports.ts";
import { createIngest } from "../../packages/hookline/src/hub/ingest/ingest.ts";
import { createLive } from "../../packages/hookline/src/hub/live/live.ts";
import { modeOf } from "../../packages/hookline/src/hub/mode.ts";
import { createRepublisher } from "../../packages/hookline/src/hub/observers/republish.ts";
import type { HubParts } from "../../packages/hookline/src/hub/parts.ts";
import { openPhoneAccess } from "../../packages/hookline/src/hub/phone/open-phone.ts";
import { createPasskeySignIn } from "../../packages/hookline/src/hub/protect/passkey-sign-in.ts";
import { openProtect } from "../../packages/hookline/src/hub/protect/protect.ts";
import { errorAnswer } from "../../packages/hookline/src/hub/routes/schemas.ts";
import { routes } from "../../packages/hookline/src/hub/routes/table.ts";
import { createTamper } from "../../packages/hookline/src/hub/tamper/tamper.ts";
import { createPrices } from "../../packages/hookline/src/hub/usage/prices.ts";

/** What its attached agents have. */
export const KEY: AttachKey = { token: "token-of-attached-agents", seal: "seal-of-the-test-hub" };

/** The HTTP side of a hub: a real store, bus and tokens behind real sockets. */
export interface HttpHub {
  readonly parts: HubParts;
  readonly bus: Bus;
  readonly server: HttpServer;
  readonly port: number;
  readonly socketPath: string;
  /** What was asked of the hub itself. */
  readonly asked: string[];
  ask(path: string, options?: Asking): Promise<Told>;
}
interface Asking {
  readonly method?: string;
  /** `operator` if nothing is said. */
  readonly token?: string | null;
  readonly body?: string | Uint8Array;
  readonly headers?: { readonly [name: string]: string };
  readonly isOverSocket?: boolean;
}
interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever an answer holds.
  readonly json: any;
}

export async function startHttpHub(
  options: HttpServerOptions = {},
  change: (parts: HubParts) => Partial<HubParts> = () => ({}),
): Promise<HttpHub> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-http-"));
  const store = await openStore(join(folder, "events.db"));
  const bus = createBus({ source: "hub", onError: () => {} });
  const instance = bus.source.instance as string;
  const live = createLive();
  const tokens = createTokens(KEY, ["claude-code"]);
  const asked: string[] = [];
  const ingest = createIngest({ instance, store, onStored: (arrivals) => live.publish(arrivals) });
  const preparer = createEventPreparer(() => {});
  const reader = createCallReader();
  const askedEvents = createAskedEvents();
  const pause = createPause({ tell: () => {} });
  const gates = createGates(withPause(bus, pause), undefined, askedEvents);
  const alwaysAllow = openAlwaysAllow(folder);
  const approvals = createApprovals({ always: alwaysAllow, tell: () => {} });
  const effects = createSessionEffects();
  const protect = await openProtect({
    state: folder,
    store,
    raise: () => {},
    note: () => {},
    dashboardName: () => undefined,
    mode: (given) => modeOf({ protect: given }),
    onProblem: () => {},
  });
  let url = "";
  const logins = createDashboardLogins({ state: folder, onProblem: () => {} });
  const made: HubParts = {
    instance,
    startedAt: new Date().toISOString(),
    version: "0.0.0-test",
    data: "",
    notify: { list: () => [], test: async () => ({ sent: [] }) },
    fleet: { settings: undefined, part: undefined, follow: async () => {}, close: async () => {} },
    store,
    bundles: createBundlePolicy({ state: folder, data: folder, alarm: () => {}, onProblem: () => {}, isJoined: () => false }),
    decisionHead: { path: join(folder, "events.db"), missing: 0, kept: async () => [] },
    ingest,
    imports: createImports({ ingest, store }),
    prices: createPrices([]),
    preparer,
    live,
    tokens,
    logins,
    people: openPeopleAccess({ people: () => undefined, settings: {}, publicOrigin: undefined, dashboardName: () => undefined, logins }),
    phone: await openPhoneAccess({ state: folder, store, origin: undefined, raise: () => {}, note: () => {}, onProblem: () => {} }),
    signIn: createPasskeySignIn(),
    url: () => url,
    sources: { list: () => [], handlersOf: async () => undefined },
    bus,
    sinks: { list: () => [], removeSessions: async () => [] },
    gates,
    pause,
    counts: createCarriedCounts(bus),
    approvals,
    steering: { steer: () => Promise.reject(new HookError("HL_NOT_FOUND", "There is no session here.")) },
    onRefused: () => {},
    agentProcesses: createAgentProcesses({ state: folder, clients: join(folder, "attach"), onProblem: () => {} }),
    alarms: createAlarms({ state: folder, tell: () => {}, onProblem: () => {} }),
    protect,
    tamper: createTamper({ state: folder, attach: folder, raise: () => {}, mode: () => "plain", onProblem: () => {} }),
    alwaysAllow,
    handlers: noHandlers,
    policy: { list: async () => ({ mode: "plain", changes: [] }), accept: async () => [] },
    resetRules: () => asked.push("reset rules") > 0,
    startDemo: () => asked.push("demo") > 0,
    effects,
    agents: createAgentCalls({
      loaded: createLoadedCommands({ note: () => {} }),
      dialects: agents,
      gates,
      approvals,
      ingest,
      preparer,
      reader,
      asked: askedEvents,
      book: createReminderBook(),
      effects,
      has: (event) => bus.has(event),
      tell: createRepublisher(bus).tell,
      settingsFault: () => undefined,
      pause,
      onProblem: () => {},
    }),
    decisions: createDecisions({ gates, approvals, ingest, preparer, store, asked: askedEvents, pause }),
    hooks: () => ({ hooks: [], untrusted: [] }),
    faults: () => [],
    selftest: async () => ({ ok: true, agents: [], guards: [] }),
    knownTools: async () => ({ attached: [], seen: await store.tools() }),
    rotateKeys(which) {
      asked.push("rotate");
      tokens.rotate({ token: "another-token-of-attached-agents", seal: "another-seal-of-the-test-hub" }, which);
      return [];
    },
    urls: () => [url],
    stop: () => void asked.push("stop"),
    startedWith: {},
    isTied: false,
    handOver: () => void asked.push("handOver"),
  };
  const parts = Object.assign(made, change(made));
  const server = createHttpServer(parts, { maxFailedLogins: 1_000_000, ...options });
  const socketPath = join(folder, "http.sock");
  await server.listenSocket(socketPath);
  const port = await server.listenTcp("127.0.0.1", 0);
  url = `http://127.0.0.1:${port}`;
  onTestFinished(async () => {
    await server.close();
    protect.close();
    await preparer.close();
    await reader.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (path: string, asking: Asking = {}) => {
    const told = await askHub({ port, socketPath, token: tokens.operator }, path, asking);
    checkAnswer(asking.method ?? (asking.body === undefined ? "GET" : "POST"), path, told);
    return told;
  };
  return { parts, bus, server, port, socketPath, asked, ask };
}

const router = createRouter(routes);

/** Every answer must be what its route declares, field by field. */
function checkAnswer(method: string, path: string, { status, json }: Told): void {
  if (json === undefined) return;
  const { answer } = router.find(method, path.replace(/[?#].*$/s, ""))?.route ?? {};
  const schema = status >= 400 ? errorAnswer : answer?.body;
  // Fields that the schema does not name are missing in what it reads.
  if (schema !== undefined) expect(schema.parse(json), `the answer of ${method} ${path}`).toEqual(json);
}

const noHandlers: HubParts["handlers"] = {
  matchOf: () => undefined,
  rules: () => [],
  rule: () => undefined,
  inForce: () => [],
  addAnswer: () => Promise.reject(new HookError("HL_NOT_FOUND", "There are none.")),
  turn: () => Promise.reject(new HookError("HL_NOT_FOUND", "There are none.")),
  try: () => Promise.reject(new HookError("HL_NOT_FOUND", "There are none.")),
};

interface Address {
  readonly port: number;
  readonly socketPath: string;
  readonly token: string;
}

function askHub(
  address: Address,
  path: string,
  { method, token = address.token, body, headers, isOverSocket = false }: Asking,
): Promise<Told> {
  const where = isOverSocket ? { socketPath: address.socketPath } : { host: "127.0.0.1", port: address.port };
  const all = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { ...where, path, method: method ?? (body === undefined ? "GET" : "POST"), headers: all, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = answer.headers["content-type"]?.startsWith("application/json") === true && text !== "";
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A connection that is closed with the test. */
export function dial(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends bytes as they are, and gives all that comes back until the other end hangs up. */
export function sendRaw(port: number, text: string | Uint8Array): Promise<string> {
  const socket = dial(port);
  let answer = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}

let made = 0;
export function makeEnvelope(parts: Partial<Envelope> = {}): Envelope {
  made++;
  return {
    v: 2,
    id: `t${String(made).padStart(8, "0")}`,
    seq: made,
    at: new Date().toISOString(),
    event: "agent:step",
    source: { app: "agent", host: "h", pid: 1, instance: "i1" },
    payload: {},
    hops: ["i1"],
    ...parts,
  };
}

/** Waits until something holds, however slow the machine. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
