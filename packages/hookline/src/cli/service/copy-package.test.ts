import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packagesToCopy } from "./copy-package.js";

it("copies optional packages that are installed, with what they depend on, and no others", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-copy-")));
  const add = (name: string, manifest: object): void => {
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
    writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  };
  add("hub", {
    dependencies: { needed: "1" },
    optionalDependencies: { optional: "1", absent: "1" },
    peerDependencies: { peer: "1", "absent-too": "1" },
  });
  for (const name of ["needed", "below-peer", "unrelated"]) add(name, {});
  add("optional", { peerDependencies: { hub: "1" } });
  add("peer", { dependencies: { "below-peer": "1" } });
  add("beside", {});
  const copied = packagesToCopy(join(folder, "node_modules", "hub"), ["beside", "not-beside"]);
  expect(copied.map(({ to }) => to)).toEqual(["hub", "needed", "optional", "peer", "below-peer", "beside"]);
  rmSync(folder, { recursive: true });
});
