import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { watchBody } from "./watched-body.js";

test("an answer whose reader does not want its body, such as one with the status 202, ends as one that is not there", async () => {
  const ends: string[] = [];
  const endless = new ReadableStream<Uint8Array>();
  const { body } = watchBody(new Response(endless), { maxBytes: 100, onEnd: ({ why }) => void ends.push(why) });
  await turn();
  await body?.cancel();
  await turn();
  expect(ends).toEqual(["It ended its answer early."]);
});
