import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, it } from "vitest";
import { isThorough } from "../support/thorough.ts";
import { clients, hasPython } from "./client-process.ts";
import { HubProcess } from "./hub-process.ts";
import { type Case, playCase } from "./play-case.ts";

const here = (path: string) => new URL(path, import.meta.url);
const topics = readdirSync(here("cases/"))
  .sort()
  .map((name) => JSON.parse(readFileSync(here(`cases/${name}`), "utf8")) as { readonly topic: string; readonly cases: readonly Case[] });

describe.each(Object.keys(clients))("the client in %s against a real hub", (language) => {
  const isMissing = language === "python" && !hasPython;
  const name = isMissing ? "is not tried: there is no python3 of version 3.9 or later here" : "keeps the protocol";

  describe.skipIf(isMissing)(name, () => {
    let hub: HubProcess;
    beforeAll(async () => {
      hub = new HubProcess(readFileSync(here("policy.toml"), "utf8"));
      await hub.start();
    });
    afterAll(() => hub.close());

    for (const { topic, cases } of topics)
      for (const each of cases.filter(({ thorough = false }) => isThorough || !thorough))
        it(`${topic}: ${each.name}`, () => playCase(hub, language, each));
  });
});
