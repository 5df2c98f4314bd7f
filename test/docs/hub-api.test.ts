import { expect, it } from "vitest";
import { routes } from "../../packages/hookline/src/hub/routes/table.ts";
import { read } from "./repository.ts";

/** A heading says one method and several paths, or each with its own: `### GET /a, /b · read`, `### GET /, GET /login · public`. */
function documented(): string[] {
  return [...read("docs/hub-api.md").matchAll(/^### (.*) · (\w+)$/gm)].flatMap(([, paths = "", scope]) => {
    const [first = ""] = paths.split(" ");
    return paths.split(", ").map((path) => `${path.includes(" ") ? path : `${first} ${path}`} · ${scope}`);
  });
}

it("docs/hub-api.md has every route with its scope, and no other", () => {
  const served = routes.map(({ method, path, scope }) => `${method} ${path} · ${scope}`);
  expect(documented().sort()).toEqual(served.sort());
});
