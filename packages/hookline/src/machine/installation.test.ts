import { expect, it } from "vitest";
import { findInstallation } from "./installation.js";

it("names npm's commands only where npm has installed the program", () => {
  expect(findInstallation("/usr/lib/node_modules/hookline")).toEqual({
    update: "npm install --global hookline@latest",
    remove: "npm uninstall --global hookline",
  });
  expect(findInstallation("/home/a b/hookline/packages/hookline")).toEqual({
    update: "cd '/home/a b/hookline' && git pull && npm ci && npm run build",
    remove: "delete the folder /home/a b/hookline",
  });
  expect(findInstallation().update).toMatch(/^cd .* && git pull && npm ci && npm run build$/);
});
