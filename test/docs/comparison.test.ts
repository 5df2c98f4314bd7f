import { describe, expect, it } from "vitest";
import { type Feature, faultOf, features } from "../../scripts/docs/comparison-page.ts";
import { read } from "./repository.ts";

const some: Feature = { name: "Something", what: "it does something", page: "sinks.md" };

// `npm run check` compares the page with the list; here the list is compared with the product.
describe("the list of features in docs/comparison.md", () => {
  it.each(features)("names only what the product has: $name", async (feature) => {
    expect(await faultOf(feature)).toBeUndefined();
    expect(read("docs/comparison.md")).toContain(`[${feature.name}](${feature.page})`);
  });

  it.each<[Partial<Feature>, string]>([
    [{ page: "nowhere.md" }, "the page nowhere.md"],
    [{ commands: ["teleport"] }, 'the command "hookline teleport"'],
    [{ commands: ["rules teleport"] }, 'the command "hookline rules teleport"'],
    [{ sinks: ["carrier-pigeon"] }, 'the sink "carrier-pigeon"'],
    [{ entries: ["./adapters/nothing"] }, 'the entry "./adapters/nothing"'],
  ])("finds what it does not have: %j", async (wrong, fault) => {
    expect(await faultOf({ ...some, ...wrong })).toBe(fault);
  });
});
