import type { SitePage } from "./pages.ts";

/** `llms.txt`: every page with its first sentence; `llms-full.txt`: the text of all pages. */
export function llmsText(pages: readonly SitePage[]): (readonly [name: string, text: string])[] {
  const lines = pages.map(({ path, title, text }) => `- [${plain(title)}](${path.replace(/\.md$/, ".html")}): ${firstSentence(text)}`);
  const head = "# Hookline\n\n> Hook, line and sinker for AI agents: see, record and control what agents do.\n\n## Pages\n\n";
  const full = pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`).join("\n\n");
  return [
    ["llms.txt", `${head}${lines.join("\n")}\n`],
    ["llms-full.txt", full],
  ];
}

function firstSentence(text: string): string {
  const paragraph = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .find((part) => /^[A-Z`[*]/.test(part) && !part.startsWith("```"));
  return plain(/^[\s\S]*?[.:](?=\s|$)/.exec(paragraph ?? "")?.[0] ?? "").replaceAll("\n", " ");
}

function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("**", "");
}
