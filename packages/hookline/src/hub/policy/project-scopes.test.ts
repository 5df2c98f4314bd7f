import { mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { withContext } from "./payload-context.js";
import { createProjectScopes } from "./project-scopes.js";

function inFolders() {
  const home = realpathSync(testFolder());
  const [project, neighbour] = [join(home, "proj"), join(home, "project2")];
  for (const folder of [join(project, "src/deep"), join(neighbour, "src")]) mkdirSync(folder, { recursive: true });
  const scopes = createProjectScopes();
  return { home, project, neighbour, scopes, isIn: scopes.of(project) };
}

describe("the events of a project", () => {
  it("are those from its folder and below, and from no folder beside it", () => {
    const { home, project, neighbour, isIn } = inFolders();
    const inside = [project, `${project}/`, `${project}/src`, `${project}/src/deep/`, `${neighbour}/../proj`, `${project}/./src//deep`];
    const outside = [home, neighbour, `${neighbour}/src`, `${project}2`, `${project}/..`, `${project}/../project2`, "/", `${home}/PROJ`];
    expect(inside.map((cwd) => isIn({ cwd }))).toEqual(inside.map(() => true));
    expect(outside.map((cwd) => isIn({ cwd }))).toEqual(outside.map(() => false));
  });

  it("come by links, from folders that are gone, and from both at once", () => {
    const { home, project, neighbour, isIn } = inFolders();
    symlinkSync(project, join(home, "link"));
    symlinkSync(join(project, "src"), join(home, "to-src"));
    symlinkSync(neighbour, join(project, "out"));
    const inside = ["link", "link/src", "to-src/..", "link/gone", "link/gone/further", "proj/gone", "project2/gone/../../proj/x"];
    expect(inside.filter((cwd) => !isIn({ cwd: `${home}/${cwd}` }))).toEqual([]);
    expect(["proj/out", "proj/out/gone", "to-src/../../project2"].filter((cwd) => isIn({ cwd: `${home}/${cwd}` }))).toEqual([]);
  });

  it("come by a link that leads there only now", async () => {
    const { home, project, neighbour, isIn } = inFolders();
    const link = join(home, "link");
    expect(isIn({ cwd: link })).toBe(false);
    symlinkSync(project, link);
    await expect.poll(() => isIn({ cwd: link })).toBe(true);
    rmSync(link);
    symlinkSync(neighbour, link);
    await expect.poll(() => isIn({ cwd: link })).toBe(false);
  });

  it("are none of those that do not say where they are, whatever they say instead", () => {
    const { project, isIn, scopes } = inFolders();
    const trap = {
      get cwd(): string {
        throw new Error("trap");
      },
    };
    const sessionTrap = {
      cwd: project,
      get session(): object {
        throw new Error("trap");
      },
    };
    const cwds = [
      "",
      ".",
      "proj",
      "./proj",
      "\0",
      `${project}\0`,
      `${project}\0/x`,
      "x".repeat(1_048_576),
      `/${"x/".repeat(524_288)}`,
      7,
      null,
      true,
      {},
      [project],
    ];
    const payloads = [
      {},
      undefined,
      null,
      7,
      "text",
      [],
      Object.create(null),
      trap,
      { session: null },
      { session: "s" },
      ...cwds.map((cwd) => ({ cwd })),
    ];
    for (const payload of payloads) {
      scopes.see(payload);
      expect(isIn(payload)).toBe(false);
    }
    expect(isIn(sessionTrap)).toBe(true);
  });
});

describe("a session", () => {
  const at = (cwd: string | undefined, id: string, parentId?: string) => ({ ...(cwd !== undefined && { cwd }), session: { id, parentId } });

  it("stays one of the project once it was in it, and so do those it starts", () => {
    const { project, neighbour, isIn, scopes } = inFolders();
    const other = scopes.of(neighbour);
    scopes.see(at(project, "s"));
    expect([isIn(at(undefined, "s")), isIn(at(neighbour, "s")), isIn(at("/", "s"))]).toEqual([true, true, true]);
    expect([isIn(at(undefined, "child", "s")), isIn(at(neighbour, "stranger")), isIn(at(undefined, "stranger"))]).toEqual([
      true,
      false,
      false,
    ]);
    scopes.see(at(neighbour, "s"));
    expect([isIn(at(undefined, "s")), other(at(undefined, "s"))]).toEqual([true, true]);
    scopes.see(at("/", "child", "s"));
    scopes.see(at("/", "grandchild", "child"));
    expect(isIn(at(undefined, "grandchild"))).toBe(true);
  });

  it("is not created by a question about it, nor by an invalid name", () => {
    const { project, isIn, scopes } = inFolders();
    expect(isIn(at(project, "s"))).toBe(true);
    expect(isIn(at(undefined, "s"))).toBe(false);
    scopes.see(at(project, ""));
    scopes.see({ cwd: project, session: { id: 7 } });
    expect([isIn(at(undefined, "")), isIn({ session: { id: 7 } }), isIn({ session: {} })]).toEqual([false, false, false]);
  });

  it("is forgotten when ten thousand others have been heard of since, and not while it is heard of", () => {
    const { project, isIn, scopes } = inFolders();
    scopes.see(at(project, "silent"));
    scopes.see(at(project, "busy"));
    for (let i = 0; i < 10_000; i++) {
      scopes.see(at(project, `other-${i}`));
      if (i % 1_000 === 0) scopes.see(at(undefined, "busy"));
    }
    expect([isIn(at(undefined, "silent")), isIn(at(undefined, "busy"))]).toEqual([false, true]);
  });
});

describe("the folder of a process", () => {
  it("counts if the event names no folder, or an invalid one", () => {
    const { project, neighbour, isIn } = inFolders();
    const filled = (payload: unknown) => withContext(payload, { cwd: project, session: { id: "s" } });
    for (const payload of [{}, { cwd: null }, { cwd: "" }, { cwd: 7 }, { cwd: "src" }, { cwd: "x".repeat(5_000) }, { cwd: "a\0b" }])
      expect(isIn(filled(payload))).toBe(true);
    for (const payload of [{ cwd: neighbour }, { cwd: "../project2" }, [], "text", null]) expect(isIn(filled(payload))).toBe(false);
    expect(withContext({ cwd: "." }, {})).toEqual({ cwd: "." });
    expect(filled({ cwd: neighbour, session: { id: "own" } })).toEqual({ cwd: neighbour, session: { id: "own" } });
    const whole = { cwd: project, session: { id: "own" } };
    expect(filled(whole)).toBe(whole);
  });

  it("is noted for the session of an event that is told of", () => {
    const { project, isIn, scopes } = inFolders();
    const envelope = { ...sampleEnvelope(), payload: { message: "m" }, session: { id: "s" } } as Envelope;
    expect(createProjectScopes().locate(envelope, () => project)).toBe(envelope);
    expect(scopes.locate(envelope, () => undefined).payload).toEqual({ message: "m", session: { id: "s" } });
    expect(isIn({ session: { id: "s" } })).toBe(false);
    expect(isIn(scopes.locate(envelope, () => project).payload)).toBe(true);
    expect(isIn({ session: { id: "s" } })).toBe(true);
  });
});
