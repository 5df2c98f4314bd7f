import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";

const built = fileURLToPath(new URL("../../../dist/extensions/module/module-source.js", import.meta.url));

// In a process of its own: here another loader stands between Node and the files.
it("reloads the imports of its module for each source, and not between two events", () => {
  const folder = testFolder();
  const guard = join(folder, "guard.mjs");
  writeFileSync(guard, 'import { word } from "./word.mjs";\nexport const handle = () => word;\n');
  const program = `
    import { writeFileSync } from "node:fs";
    import { createModuleSource } from ${JSON.stringify(built)};
    const write = (word) => writeFileSync(${JSON.stringify(join(folder, "word.mjs"))}, \`export const word = "\${word}";\`);
    for (const word of ["one", "two"]) {
      write(word);
      const source = createModuleSource({ name: "g", module: ${JSON.stringify(guard)}, export: "handle", hooks: [] });
      console.log(await source.handle({}));
      write("later");
      console.log(await source.handle({}));
    }`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(out.trim().split("\n")).toEqual(["one", "one", "two", "two"]);
});
