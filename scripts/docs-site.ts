import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrokenLinks } from "./site/check-links.ts";
import { llmsText } from "./site/llms-text.ts";
import { lookAtSite } from "./site/look-at-site.ts";
import { writePages } from "./site/pages.ts";

// `npm run docs:site`: the documentation as a website in site/dist, with search, without a network. The site has its own installation.
const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");

if (!existsSync(join(site, "node_modules"))) {
  console.log("Installing what builds the site (once) …");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: site, stdio: "inherit" });
}
const pages = writePages(root, join(site, "content"));
console.log(`Building ${pages.length} pages …`);
execFileSync(join(site, "node_modules/.bin/vitepress"), ["build", "."], { cwd: site, stdio: "inherit" });
for (const [name, text] of llmsText(pages)) writeFileSync(join(site, "dist", name), text);

const { checked, broken } = findBrokenLinks(join(site, "dist"));
for (const { page, link, why } of broken) console.error(`${page}: ${link}: ${why}`);
console.log(`${checked} links checked, ${broken.length} broken. The site is in ${join("site", "dist")}.`);
if (broken.length > 0) process.exitCode = 1;

// `npm run docs:site -- --look <folder>`: the site in Chromium, with pictures of it.
const [, , option, folder] = process.argv;
if (option === "--look" && folder !== undefined) {
  const faults = await lookAtSite(join(site, "dist"), folder);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
