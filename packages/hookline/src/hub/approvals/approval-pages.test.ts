import { join } from "node:path";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineClient } from "../../../../../test/support/line-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import type { ApprovalsAnswer } from "../protocol.js";

const QUESTIONS = 95;
/** Just under the longest line that the hub reads. */
const REASON = "because ".repeat(500_000);
const MAX_PAGE_CHARS = 2_000_000;

function question(index: number, more: object) {
  const payload = { session: { id: "s" }, tool: { name: "Bash", callId: String(index), input: { command: `step ${index}` } } };
  const id = `q${String(index).padStart(9, "0")}`;
  return { type: "approve", id, event: "tool:before", eventId: id, payload, by: "careful", expiresAt: Date.now() + 600_000, ...more };
}

async function hubWithClient() {
  const hub = await startHub({ state: join(testFolder(), "state"), port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const { file, parts } = hub;
  const client = await LineClient.attached(file.line, file.token);
  onTestFinished(() => void client.socket.destroy());
  const get = async (path: string) => {
    const answer = await fetch(`${file.url}${path}`, { headers: { authorization: `Bearer ${parts.tokens.operator}` } });
    return { status: answer.status, text: await answer.text() };
  };
  return { hub, client, get };
}

describe("questions with reasons that fill a line", () => {
  it("leave the list of approvals and the hub's health readable", async () => {
    const { hub, client, get } = await hubWithClient();
    const actor = { kind: "guard", name: "careful" };
    for (let index = 0; index < QUESTIONS; index++) client.say(question(index, { actor, reason: `${index} ${REASON}` }));
    await expect.poll(() => hub.parts.approvals.list().length).toBe(QUESTIONS);

    const ids: string[] = [];
    for (let cursor: number | undefined = 0; cursor !== undefined; ) {
      const { status, text } = await get(`/api/approvals?limit=40${cursor === 0 ? "" : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(MAX_PAGE_CHARS);
      const page = JSON.parse(text) as ApprovalsAnswer;
      expect(page.waiting).toBe(QUESTIONS);
      expect(page.approvals.length).toBeLessThanOrEqual(40);
      for (const { reason } of page.approvals) expect(reason).toMatch(/^\d+ because .*cut here/s);
      ids.push(...page.approvals.map(({ id }) => id));
      cursor = page.cursor;
    }
    expect(new Set(ids).size).toBe(QUESTIONS);
    expect((await get("/api/hooks/health")).status).toBe(200);
  });

  it("are cut in every text that a process gives, and stay apart where they differ after the cut", async () => {
    const { hub, client } = await hubWithClient();
    const long = "x".repeat(20_000);
    const actor = { kind: "guard", name: long, owner: long };
    const asks = Array.from({ length: 40 }, (_, index) => ({ by: `guard ${index}`, actor, reason: long }));
    client.say(
      question(1, { actor, reason: `${long}a`, session: { id: long, parentId: long }, asks }),
      question(2, { reason: `${long}b` }),
      question(3, { event: long }),
      question(4, {}),
    );
    await expect.poll(() => hub.parts.approvals.list().length).toBe(3);
    const [first, second, last] = hub.parts.approvals.list();
    expect(JSON.stringify(first).length).toBeLessThan(120_000);
    expect(first?.reason).not.toBe(second?.reason);
    expect(last).toMatchObject({ eventId: "q000000004" });
  });
});

describe("questions whose calls are long", () => {
  it("fill a page by their weight, whatever the limit", async () => {
    const { hub, client, get } = await hubWithClient();
    const command = "x".repeat(900_000);
    for (let index = 0; index < 5; index++) client.say(question(index, { payload: { tool: { name: "Bash", input: { command, index } } } }));
    await expect.poll(() => hub.parts.approvals.list().length).toBe(5);
    const { text } = await get("/api/approvals?limit=1000");
    expect(text.length).toBeLessThan(MAX_PAGE_CHARS);
    expect(JSON.parse(text)).toMatchObject({ waiting: 5, approvals: [{}], cursor: expect.any(Number) });
  });
});
