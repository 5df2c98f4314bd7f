import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export interface SitePage {
  /** Below the site's root, such as `reference/events.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Pages at the repository's root, and where they are on the site. */
const ROOT_PAGES: { readonly [from: string]: string } = {
  "README.md": "index.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
  "SECURITY.md": "security-policy.md",
};

const PLAYGROUND = `# Rule playground

Change the rules or the command: the same code as in the hub decides, in this page. Nothing is sent anywhere. Rules with conditions in CEL, and rules that count what happened before, need a hub: try those with \`hookline rules test\`.
`;

/** Writes the repository's Markdown as pages of the site, with links that work there. */
export function writePages(root: string, into: string): SitePage[] {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  cpSync(join(root, "docs/screenshots"), join(into, "screenshots"), { recursive: true });
  const places = new Map(Object.entries(ROOT_PAGES));
  for (const file of readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".md")) places.set(`docs/${file.replaceAll("\\", "/")}`, placeOf(file.replaceAll("\\", "/")));
  const pages = [...places].map(([from, path]) => readPage(root, { from, path, places }));
  const all = [...pages, { path: "playground.md", title: "Rule playground", text: PLAYGROUND }];
  for (const page of all) write(into, page);
  writeFileSync(join(into, "sidebar.json"), JSON.stringify(sidebarOf(pages), undefined, 2));
  return all;
}

function placeOf(file: string): string {
  return file === "README.md" ? "pages.md" : file;
}

interface Source {
  readonly from: string;
  readonly path: string;
  readonly places: ReadonlyMap<string, string>;
}

function readPage(root: string, { from, path, places }: Source): SitePage {
  const markdown = readFileSync(join(root, from), "utf8").replaceAll(/<!--[\s\S]*?-->\n*/g, "");
  const text = outsideCode(markdown, (prose) => withSiteLinks(prose, { from, path, places }));
  return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text };
}

/** Applies a change to everything but fenced blocks. */
function outsideCode(markdown: string, change: (prose: string) => string): string {
  return markdown
    .split(/(^(?:```|~~~)[\s\S]*?^(?:```|~~~)[ \t]*$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)/g;

/** Links to pages lead to the site; what is only in the repository becomes text. */
function withSiteLinks(prose: string, { from, path, places }: Source): string {
  return prose.replaceAll(LINK, (whole, image: string, label: string, target: string, anchor = "") => {
    if (target === "" || /^[a-z]+:/.test(target)) return whole;
    const file = posix.normalize(posix.join(posix.dirname(from), target));
    if (file.startsWith("docs/screenshots/")) return `${image}[${label}](${relative(path, file.slice("docs/".length))})`;
    const place = places.get(file);
    return place === undefined ? label : `[${label}](${relative(path, place)}${anchor})`;
  });
}

function relative(path: string, place: string): string {
  const found = posix.relative(posix.dirname(path), place);
  return found.startsWith(".") ? found : `./${found}`;
}

/** `v-pre`: braces in the text are text. */
function write(into: string, { path, title, text }: SitePage): void {
  const file = join(into, path);
  mkdirSync(dirname(file), { recursive: true });
  const head = `---\ntitle: ${JSON.stringify(title)}\nplayground: ${path === "playground.md"}\nprev: false\nnext: false\n---\n\n`;
  writeFileSync(file, `${head}::: v-pre\n${inertHtml(text)}\n:::\n`);
}

/** Angle brackets in prose are text, too: the site has no HTML in its pages. */
function inertHtml(text: string): string {
  return outsideCode(text, (prose) =>
    prose
      .split(/(`+[^`\n]*`+)/)
      .map((part, index) => (index % 2 === 0 ? part.replaceAll(/<(?=[a-z/!])/gi, "&lt;") : part))
      .join(""),
  );
}

/** The groups of docs/README.md, in its order; then what it does not name. */
function sidebarOf(pages: readonly SitePage[]): object[] {
  const list = pages.find(({ path }) => path === "pages.md")?.text ?? "";
  const named = new Set<string>();
  const groups = list
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const title = section.split("\n", 1)[0] as string;
      const items = [...section.matchAll(LINK)].flatMap(([, , label, target, anchor]) => {
        const path = (target as string).replace(/^\.\//, "");
        if (anchor !== undefined || named.has(path) || !path.endsWith(".md")) return [];
        named.add(path);
        return [{ text: (label as string).replaceAll("`", ""), link: `/${path.replace(/\.md$/, "")}` }];
      });
      return items.length === 0 ? [] : [{ text: title, items, collapsed: title === "Reference" }];
    });
  const api = pages
    .filter(({ path }) => path.startsWith("reference/api/"))
    .map(({ path, title }) => ({ text: title.replaceAll("`", ""), link: `/${path.replace(/\.md$/, "")}` }));
  return [...groups, { text: "API", items: api, collapsed: true }];
}
