import { describe, expect, it } from "vitest";
import { agents } from "../agents.js";
import { type AgentContract, compareVersions, contractFor, guardingOf, triedVersion } from "./contract.js";

const contract = (from: string, to: string): AgentContract => ({
  from,
  to,
  source: { tried: "here", version: to },
  guarding: { level: "strict" },
  events: {},
  dialect: "JSON",
  timeout: { unitMs: 1_000, defaultMs: 60_000 },
  blocks: [],
  failure: { mode: "open", runsAfter: [] },
});

describe("the contract for a version", () => {
  const [newest, old] = [contract("2.10.0", "2.11.3"), contract("1.9.0", "2.2.0")] as const;

  it.each<[version: string | undefined, found: AgentContract, standing: string]>([
    ["2.10.0", newest, "known"],
    ["2.11.3", newest, "known"],
    ["2.11.4", newest, "newer"],
    ["3.0.0-beta.1", newest, "newer"],
    ["2.9.9", old, "between"],
    ["2.2", old, "known"],
    ["1.8.99", old, "older"],
    [undefined, newest, "unknown"],
  ])("%s", (version, found, standing) => {
    expect(contractFor([newest, old], version)).toEqual({ contract: found, standing });
  });

  it("is the only one if the documentation names no versions", () => {
    const { from: _from, to: _to, ...any } = newest;
    expect(contractFor([any], "1.0.0")).toEqual({ contract: any, standing: "unknown" });
  });
});

it("a version that is not known is promised no more than all versions keep", () => {
  const weak: AgentContract = { ...contract("1.0.0", "1.0.0"), guarding: { level: "observe", reason: "runs all", instead: "None." } };
  const contracts = [contract("2.0.0", "2.0.0"), weak] as const;
  expect(["1.0.0", "2.0.0", undefined].map((version) => guardingOf(contracts, version).level)).toEqual(["observe", "strict", "observe"]);
});

it("versions are compared by their numbers", () => {
  expect(["1.10.0", "1.9.0", "1.9", "v2.0.0"].toSorted(compareVersions)).toEqual(["1.9.0", "1.9", "1.10.0", "v2.0.0"]);
});

describe.each(agents.map((agent) => [agent.id, agent] as const))("the contracts of %s", (_, { contracts, events }) => {
  it("are in order, the newest first, and the newest has the agent's events", () => {
    expect(contracts[0].events).toBe(events);
    const ends = contracts.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [to, from]));
    expect(ends).toEqual(ends.toSorted((a, b) => compareVersions(b, a)));
  });

  it("say where they come from", () => {
    const tried = triedVersion(contracts);
    for (const { source, from, to } of contracts) {
      if (source.tried === "documentation") expect(source.url).toMatch(/^https:\/\//);
      else expect([from, to]).toContain(source.version);
    }
    if (tried !== undefined) expect(tried).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("give a reason and a way out where calls cannot be denied for certain", () => {
    for (const { guarding, blocks } of contracts) {
      if ("reason" in guarding) expect([guarding.reason, guarding.instead].every((text) => text.length > 10)).toBe(true);
      expect(blocks.length === 0).toBe(guarding.level === "observe");
    }
  });
});
