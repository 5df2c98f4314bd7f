import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "hookline/internal";
import { expect, it } from "vitest";
import { startConfigHub } from "../../../../../test/support/config-hub.ts";
import { until } from "../../../../../test/support/http-hub.ts";
import { startMessageReceiver } from "../../../../../test/support/message-receiver.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { parseConfig } from "../../config/load-config.js";
import { createApprovals } from "../approvals/approvals.js";
import { createLive } from "../live/live.js";
import { openNotify } from "./open-notify.js";

const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const RULE = `
[[rule]]
name = "ask-deploy"
event = "tool:before"
match = "tool.input.command =~ 'deploy'"
do = "ask"
message = "Deploy to production?"
`;

type Hub = Awaited<ReturnType<typeof startConfigHub>>;

function client({ hub, home }: Hub) {
  const { token } = JSON.parse(readFileSync(join(home, "state", "operator.json"), "utf8"));
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${hub.file.url}${path}`, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, never>;
  };
  return {
    ask,
    /** A call that waits for a person. */
    call: (command: string) =>
      ask("/api/decide", { event: "tool:before", payload: { tool: { name: "Bash", callId: "1", input: { command } } }, wait: true }),
    async waiting() {
      let rows: { id: string; hash: string }[] = [];
      await until(async () => {
        rows = ((await ask("/api/approvals")) as { approvals?: typeof rows }).approvals ?? [];
        return rows.length > 0;
      });
      return rows[0] as { id: string; hash: string };
    },
    answer: ({ id, hash }: { id: string; hash: string }) => ask(`/api/approvals/${id}`, { verdict: "allow", hash, by: "ada" }),
    rows: async () => ((await ask("/api/sinks")) as { sinks?: Record<string, unknown>[] }).sinks ?? [],
  };
}

it("tells each service of a question once, without secrets, and of the answer where a message can be edited", async () => {
  const services = await startMessageReceiver();
  process.env.HL_TEST_BOT = "123:token-of-the-bot";
  const started = await startConfigHub(`${RULE}
[[notify]]
type = "slack"
url = "${services.url}/slack/services/T0000000000/B000000000"
[[notify]]
type = "discord"
url = "${services.url}/discord/1/token"
[[notify]]
type = "telegram"
token = { env = "HL_TEST_BOT" }
chat = "42"
api = "${services.url}"
[[notify]]
type = "ntfy"
url = "${services.url}/ntfy/my-topic"
[[notify]]
type = "webhook"
url = "${services.url}/own"
body = '{"run":"{tool.input.command}","tool":"{tool.name}","missing":"{tool.input.nothing}"}'
`);
  const { call, waiting, answer, rows, ask } = client(started);
  const decided = call(`deploy --token ${SECRET} "quoted" <b>`);
  const question = await waiting();
  await until(() => services.requests.length >= 5);
  expect(services.requests.filter(({ body }) => body.includes(SECRET) || body.includes("token-of-the-bot"))).toEqual([]);
  expect(services.at("/slack/")[0].text).toContain("&lt;b&gt;");
  expect(services.at("/slack/")[0].text).toContain("Deploy to production?");
  expect(services.at("/discord/")[0]).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(services.at("/bot123:token-of-the-bot/sendMessage")[0]).toMatchObject({ chat_id: "42" });
  expect(services.at("/ntfy/")[0]).toMatchObject({ topic: "my-topic", priority: 4 });
  expect(services.at("/own")).toEqual([{ run: expect.stringContaining('"quoted" <b>'), tool: "Bash", missing: "" }]);
  await answer(question);
  expect(await decided).toMatchObject({ verdict: "allow" });
  await until(() => services.requests.length >= 7);
  expect(services.at("/discord/1/token/messages/")[0].content).toContain("it was allowed");
  expect(services.at("/bot123:token-of-the-bot/editMessageText")[0].text).toContain("By ada.");
  expect(await rows()).toMatchObject(
    ["slack", "discord", "telegram", "ntfy", "webhook"].map((type) => ({ name: type, type, state: "ok", sent: 1, behind: 0 })),
  );
  expect(JSON.stringify(await ask("/api/status"))).not.toContain("token-of-the-bot");
  expect(services.requests.length).toBe(7);
});

it("tells a second target only of a question that is still unanswered, and none of it in quiet hours", async () => {
  const services = await startMessageReceiver();
  const now = new Date();
  const clock = (hours: number) => `${String((now.getHours() + hours + 24) % 24).padStart(2, "0")}:00`;
  const started = await startConfigHub(`${RULE}
[[notify]]
type = "webhook"
name = "first"
url = "${services.url}/first"
[[notify]]
type = "webhook"
name = "second"
after = "300ms"
url = "${services.url}/second"
[[notify]]
type = "webhook"
name = "late"
after = "5m"
url = "${services.url}/late"
[[notify]]
type = "webhook"
name = "asleep"
quietHours = { from = "${clock(-2)}", to = "${clock(3)}" }
url = "${services.url}/asleep"
`);
  const { call, waiting, answer, rows } = client(started);
  const decided = call("deploy");
  const question = await waiting();
  await until(() => services.at("/second").length > 0);
  await answer(question);
  await decided;
  expect(services.requests.map(({ path }) => path)).toEqual(["/first", "/second"]);
  expect(await rows()).toMatchObject([{ sent: 1 }, { sent: 1 }, { sent: 0 }, { name: "asleep", sent: 0, dropped: { quiet: 1 } }]);
});

it("asks once about a question that is asked again after a restart", async () => {
  const services = await startMessageReceiver();
  const state = testFolder();
  const { config } = await parseConfig(`[[notify]]\ntype = "webhook"\nurl = "${services.url}/once"\n`, "/hookline.toml");
  const payload = { tool: { name: "Bash", callId: "1", input: { command: "deploy" } } };
  const store = await openStore(join(state, "events.db"));
  for (const run of [1, 2]) {
    const approvals = createApprovals({ tell: () => {} });
    const notify = openNotify(config?.notify ?? [], {
      state,
      store,
      live: createLive(),
      approvals,
      linkTo: () => undefined,
      push: { count: 0, channel: () => expect.fail(), onChange: () => {} },
      onError: () => {},
      onProblem: () => {},
    });
    const ended = new AbortController();
    const request = {
      id: "q-1",
      event: "tool:before",
      eventId: "e-1",
      payload,
      by: "ask-deploy",
      asks: [],
      expiresAt: Date.now() + 60_000,
    };
    const waits = approvals.approverFor({ asksAgain: true })(
      { ...request, actor: { kind: "rule", name: "ask-deploy" } } as never,
      ended.signal,
    );
    await until(() => approvals.list().length === 1 && services.requests.length === 1);
    ended.abort();
    await Promise.resolve(waits).catch(() => {});
    await notify.close();
    expect([run, services.requests.length]).toEqual([run, 1]);
  }
  await store.close();
});

it("tries again while the service is down, and shows that", async () => {
  const services = await startMessageReceiver();
  services.answer(503);
  const started = await startConfigHub(`${RULE}\n[[notify]]\ntype = "ntfy"\nurl = "${services.url}/topic"\n`);
  const { call, waiting, answer, rows } = client(started);
  const decided = call("deploy");
  const question = await waiting();
  await until(async () => (await rows())[0]?.state === "failing");
  services.answer(200);
  await until(() => services.requests.length === 1);
  await until(async () => (await rows())[0]?.state === "ok");
  await answer(question);
  await decided;
  expect(services.requests.length).toBe(1);
});

it("gathers chosen events into one message, also across a restart, and tells nothing twice", async () => {
  const services = await startMessageReceiver();
  const home = testFolder();
  const toml = `
[[notify]]
type = "webhook"
name = "news"
events = ["myapp:*"]
digest = "2s"
url = "${services.url}/news"
`;
  const first = await startConfigHub(toml, {}, home);
  const { ask, rows } = client(first);
  const ingest = async (count: number, more = "") => {
    for (let index = 0; index < count; index++)
      await ask("/api/hooks/ingest", { event_type: "myapp:deployed", context: { message: `release ${index}${more}` }, src: "test" });
  };
  await until(async () => (await rows())[0]?.state === "ok");
  await ingest(3, ` with ${SECRET}`);
  await until(async () => Number((await rows())[0]?.sent) === 3);
  await first.hub.close();
  const second = await startConfigHub(toml, {}, home);
  expect(second.told).toEqual([]);
  await until(() => services.requests.length > 0);
  expect(services.at("/news")[0]).toMatchObject({ title: "3 events" });
  expect(services.at("/news")[0].text).toMatch(/release 0/);
  expect(services.requests[0]?.body).not.toContain(SECRET);
});

it("refuses an address that must not be dialled, and sends a test message", async () => {
  const services = await startMessageReceiver();
  const started = await startConfigHub(`
[[notify]]
type = "webhook"
name = "metadata"
url = "https://169.254.169.254/latest"
[[notify]]
type = "webhook"
name = "good"
url = "${services.url}/good"
[[notify]]
type = "webhook"
name = "template"
url = "${services.url}/template"
body = '{"summary": "{app} asks: {tool.name} {tool.input.command}"}'
[[notify]]
type = "webhook"
name = "no-secret"
url = { env = "HL_TEST_NOT_SET" }
`);
  const { ask } = client(started);
  expect(await ask("/api/notify/test", {})).toEqual({
    sent: [
      { name: "metadata", type: "webhook", ok: false, error: expect.stringContaining("must not be dialled") },
      { name: "good", type: "webhook", ok: true },
      { name: "template", type: "webhook", ok: true },
      { name: "no-secret", type: "webhook", ok: false, error: expect.stringContaining("HL_TEST_NOT_SET") },
    ],
  });
  expect(services.at("/good")).toMatchObject([{ title: "Hookline: a test message" }]);
  expect(services.at("/template")).toEqual([{ summary: expect.stringMatching(/^hookline-test asks: \S+ \S+/) }]);
  expect(await ask("/api/notify/test", { name: "nothing" })).toMatchObject({ error: { code: "HL_NOT_FOUND" } });
});
