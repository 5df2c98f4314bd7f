import { join } from "node:path";
import type { Envelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { expect, it, onTestFinished } from "vitest";
import { makeEnvelope } from "../../../../../test/support/http-hub.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { HUB_APP } from "../ingest/own-source.js";
import { closeUnanswered } from "./unanswered.js";

const LONG_AGO = 1;
const idOf = (n: number) => String(n).padStart(10, "0");

function about(
  event: string,
  id: string,
  instance: string,
  more: { readonly eventId?: string; readonly expiresAt?: number } = {},
): Envelope {
  const approval = { id, event: "tool:before", eventId: "e", ...more };
  return makeEnvelope({ event, source: { app: instance, host: "h", pid: 1, instance }, payload: { approval } });
}

async function follow(...envelopes: readonly Envelope[]) {
  const store = await openStore(join(testFolder(), "events.db"), { ballastBytes: 0 });
  onTestFinished(() => store.close());
  const append = (events: readonly Envelope[]) => store.append(events.map((envelope) => ({ envelope, body: JSON.stringify(envelope) })));
  await append(envelopes);
  const presumed: string[] = [];
  const errors: unknown[] = [];
  const unanswered = closeUnanswered({
    store,
    tell: (_, { approval }) => void presumed.push(approval.id),
    isConnected: (instance) => instance === "victim",
    isWaiting: () => false,
    onError: (error) => void errors.push(error),
  });
  onTestFinished(() => unanswered.close());
  return {
    presumed,
    errors,
    async see(...events: readonly Envelope[]) {
      const places = await append(events);
      unanswered.see(events.map((envelope, index) => ({ envelope, body: "", place: places[index] as number })));
    },
  };
}

it("finds every question of earlier runs that has no answer, however many there are", async () => {
  const questions = Array.from({ length: 450 }, (_, n) => about("approval:requested", idOf(n), "gone", { expiresAt: LONG_AGO }));
  const answered = { ...about("permission:replied", idOf(7), "gone"), id: `replied-${idOf(7)}` };
  const forged = { ...about("permission:replied", idOf(8), "evil"), id: `replied-${idOf(8)}` };
  const { presumed, errors } = await follow(...questions, answered, forged);
  await expect.poll(() => presumed.length).toBe(449);
  expect([new Set(presumed).size, presumed.includes(idOf(7)), presumed.includes(idOf(8)), errors]).toEqual([449, false, true, []]);
});

it("is not ended, nor answered, by another process that gives its id", async () => {
  const [own, end] = [idOf(1), idOf(2)];
  const { presumed, see } = await follow(about("approval:requested", own, "victim"));
  await see(
    about("approval:requested", own, "evil", { expiresAt: LONG_AGO }),
    about("permission:replied", own, "evil"),
    about("approval:requested", end, HUB_APP, { expiresAt: LONG_AGO }),
    about("approval:requested", end, "evil", { expiresAt: LONG_AGO }),
    about("permission:replied", end, "evil"),
  );
  // The second question is over, so what concerns the first was looked at as well.
  await expect.poll(() => presumed).toEqual([end]);
});
