import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import sidebar from "../content/sidebar.json" with { type: "json" };

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const built = (path: string): string => own(`../../packages/${path}`);

// scripts/docs-site.ts writes the pages into site/content before the build.
export default defineConfig({
  title: "Hookline",
  description: "Hook, line and sinker for AI agents",
  srcDir: "content",
  outDir: "dist",
  cacheDir: ".cache",
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    // Anchors as on GitHub: the pages link to each other with them.
    anchor: { slugify: (heading) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-") },
    config(markdown) {
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
        return `<pre class="mermaid">${markdown.utils.escapeHtml(token.content)}</pre>`;
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "How-to", link: "/how-to" },
      { text: "Rule playground", link: "/playground" },
      { text: "Reference", link: "/cli" },
    ],
    sidebar,
  },
  vite: {
    resolve: {
      alias: [
        { find: /^node:(os|crypto|module)$/, replacement: own("./browser/$1.ts") },
        { find: /^@hookline\/core$/, replacement: built("core/dist/index.js") },
        { find: /^@hookline\/core\/internal$/, replacement: built("core/dist/internal/index.js") },
        { find: /^@hookline\/core\/internal\/(\w+)$/, replacement: built("core/dist/internal/$1.js") },
        { find: /^hookline\/rules$/, replacement: built("hookline/dist/rules/index.js") },
        { find: /^hookline\/rule-schema$/, replacement: built("hookline/dist/config/schema/rule-schema.js") },
      ],
    },
    // Modules that the rules import only for Node are empty in a browser; what they would export is never called.
    build: { rollupOptions: { shimMissingExports: true } },
    server: { fs: { allow: [own("../..")] } },
  },
});
