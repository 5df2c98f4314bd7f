import { expect, it } from "vitest";
import { routes } from "../../packages/hookline/src/hub/routes/table.ts";
import { read } from "./repository.ts";

const page = read("docs/hub-api.md");
const found = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, text]) => text);

it("docs/hub-api.md has every route with its scope, and no other", () => {
  const served = routes.map(({ method, path, scope }) => `${method} ${path} · ${scope}`);
  expect(found(/^### (.* · \w+)$/gm).sort()).toEqual(served.sort());
});

it("has the generated tables of each route right below its heading, and those of the types", () => {
  const below = found(/^### (.*) · \w+\n\n<!-- generated: \1 -->$/gm);
  expect(below.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  expect(found(/^<!-- generated: (types) -->$/gm)).toEqual(["types"]);
});
