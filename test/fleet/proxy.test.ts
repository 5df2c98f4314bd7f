import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveCredential } from "../../packages/fleet/dist/credentials/joined.js";
import { publishRoster } from "../../packages/fleet/src/credentials/published-roster.ts";
import type { HostQuestion } from "../../packages/fleet/src/questions/question.ts";
import { acceptFleetFile } from "../../packages/hookline/dist/hub/fleet/open-fleet.js";
import { natsForTests } from "../support/nats-server.ts";
import { FleetFixture, openHub, until } from "./fleet-fixture.ts";

const nats = natsForTests();
const PUBLIC = "https://fleet.example.com";
const uid = process.getuid?.() ?? 0;

interface Answered {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown };
}

// The test is the proxy: its address is loopback, and its user is this one.
describe.skipIf(nats.isMissing)("people whom a proxy names", () => {
  let fleet: FleetFixture;
  let host: Hub;
  const hubs = new Map<string, Hub>();

  beforeAll(async () => {
    fleet = await FleetFixture.start({ program: nats.program });
    const settings = fleet.settings("host", "anna");
    fleet.tenant.addPerson("alex", "approve");
    fleet.tenant.addPerson("vera", "view");
    const trusted = { proxy: "127.0.0.1", proxyUser: uid };
    const configs = [
      ["vouching", true, trusted, ["00"]],
      ["silent", false, trusted, ["01"]],
      ["elsewhere", true, { proxy: "192.0.2.1" }, ["02"]],
      ["stranger", true, { proxy: "127.0.0.1", proxyUser: uid + 1 }, ["03"]],
    ] as const;
    const credentials = configs.map(([name, vouches]) => fleet.tenant.addHub(name, vouches));
    fleet.reload();
    await fleet.ensure();
    await publishRoster(await fleet.admin(), fleet.tenant.signedRoster);
    host = await openHub(fleet, settings);
    for (const [index, [name, , proxy]] of configs.entries()) {
      const home = join(fleet.folder, "homes", name);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const credential = credentials[index] ?? expect.fail(name);
      saveCredential({ XDG_STATE_HOME: home, HOME: home }, credential);
      const state = join(home, "hookline");
      await acceptFleetFile({ state, data: state });
      const table = Object.entries({ personHeader: "X-Forwarded-User", ...proxy });
      const config = join(home, "hookline.toml");
      writeFileSync(
        config,
        `[hub]\npublicUrl = ${JSON.stringify(PUBLIC)}\n\n[fleet]\n${table.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("")}`,
      );
      hubs.set(name, await startHub({ state, port: 0, config, onProblem: () => {} }));
    }
    await until("the rosters are there", () => [...hubs.values()].every(({ parts }) => parts.people.people?.find("alex") !== undefined));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([host, ...hubs.values()].map((each) => each?.close()));
    await fleet?.close();
  });

  /** As the proxy, or a program beside it, sends it. */
  function send(
    hub: string,
    path: string,
    { person, body, ...more }: { person?: string | string[]; body?: object; origin?: string } = {},
  ): Promise<Answered> {
    const { url } = hubs.get(hub)?.file ?? expect.fail(hub);
    return new Promise((resolve, reject) => {
      const sending = request(
        `${url}${path}`,
        {
          method: body === undefined ? "GET" : "POST",
          agent: false,
          headers: {
            host: new URL(PUBLIC).host,
            ...(person !== undefined && { "x-forwarded-user": person }),
            ...(body !== undefined && { "content-type": "application/json", origin: more.origin ?? PUBLIC }),
          },
        },
        async (incoming) => {
          let text = "";
          for await (const chunk of incoming) text += chunk;
          resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) });
        },
      );
      sending.on("error", reject);
      sending.end(body && JSON.stringify(body));
    });
  }

  function ask(command: string) {
    const id = `question-${command}`;
    const approver = host.parts.approvals.approverFor({ cwd: "/work" });
    const payload = { cwd: "/work", tool: { name: "Bash", input: { command } } };
    const asking = { session: undefined, id, event: "tool:before", eventId: id, payload, by: "shell", asks: [], reason: undefined };
    const actor = { kind: "rule", name: "shell" } as const;
    const reply = Promise.resolve(approver({ ...asking, actor, expiresAt: Date.now() + 60_000 }, new AbortController().signal));
    reply.catch(() => {});
    return { id, reply };
  }
  async function shown(hub: string, id: string): Promise<HostQuestion> {
    const list = () => (hubs.get(hub)?.parts.fleet.part?.questions?.() ?? []) as readonly HostQuestion[];
    await until("the question is shown", () => list().some((one) => one.id === id));
    return list().find((one) => one.id === id) ?? expect.fail(id);
  }
  function statementFor({ host: on, id, hash, shown: digest, expiresAt }: HostQuestion, by: string): { readonly statement: string } {
    const said = {
      format: 1,
      fleet: fleet.tenant.fleet,
      host: on,
      question: id,
      hash,
      shown: digest,
      verdict: "allow",
      by,
      until: expiresAt,
    };
    return { statement: JSON.stringify(said) };
  }
  const ANSWER = "/api/fleet/questions/answer";

  it("see by their role, and are nobody without the header or without a place on the roster", async () => {
    expect(await send("vouching", "/api/me", { person: "alex" })).toMatchObject({
      status: 200,
      body: { scopes: ["read"], person: { name: "alex", role: "approve", by: "proxy", answers: "hub" } },
    });
    expect(await send("silent", "/api/me", { person: "alex" })).toMatchObject({ status: 200, body: { person: { name: "alex" } } });
    expect((await send("silent", "/api/me", { person: "alex" })).body.person).not.toHaveProperty("answers");
    expect(await send("vouching", "/api/fleet", { person: "vera" })).toMatchObject({ status: 200, body: { role: "hub" } });
    for (const person of [undefined, "mallory", "", ["alex", "vera"], "root, alex"])
      expect([person, (await send("vouching", "/api/me", person === undefined ? {} : { person })).status]).toEqual([person, 401]);
  });

  it("are refused if the header comes from another address, or from another user of this machine", async () => {
    for (const hub of ["elsewhere", "stranger"])
      expect(await send(hub, "/api/me", { person: "alex" })).toMatchObject({
        status: 403,
        body: { error: { code: "HL_FOREIGN_REQUEST", message: expect.stringContaining("Only the proxy") } },
      });
  });

  it("cannot operate the hub, and a page of another site cannot act for them", async () => {
    expect((await send("vouching", "/api/stop", { person: "alex", body: {} })).status).toBe(403);
    expect((await send("vouching", "/api/policy/accept", { person: "alex", body: { changes: [] } })).status).toBe(403);
    expect((await send("vouching", ANSWER, { person: "alex", body: {}, origin: "https://evil.example" })).status).toBe(403);
  });

  it("answer if the roster lets the hub vouch, which the host checks", async () => {
    const { id, reply } = ask("make deploy");
    const question = await shown("vouching", id);
    expect((await send("silent", ANSWER, { person: "alex", body: statementFor(await shown("silent", id), "alex") })).status).toBe(403);
    expect((await send("vouching", ANSWER, { person: "vera", body: statementFor(question, "vera") })).status).toBe(403);
    expect((await send("vouching", ANSWER, { person: "alex", body: statementFor(question, "vera") })).status).toBe(403);
    expect(await send("vouching", ANSWER, { person: "alex", body: statementFor({ ...question, hash: "0" }, "alex") })).toMatchObject({
      status: 409,
      body: { error: { code: "HL_APPROVAL_CHANGED" } },
    });
    expect(await send("vouching", ANSWER, { person: "alex", body: statementFor(question, "alex") })).toMatchObject({ status: 200 });
    expect(await reply).toMatchObject({ verdict: "allow", by: "alex" });
    expect(await send("vouching", ANSWER, { person: "alex", body: statementFor(question, "alex") })).toMatchObject({
      status: 409,
      body: { error: { code: "HL_APPROVAL_GONE" } },
    });
    const audit = await send("vouching", "/api/fleet/audit", { person: "vera" });
    expect(audit.body.entries).toMatchObject([{ kind: "hub", name: "vouching", facts: { details: { person: "alex", proof: "hub" } } }]);
  });
});
