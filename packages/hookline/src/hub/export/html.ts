import { inertHtml } from "@hookline/core/internal/text";

/** The beginning of a page of its own, up to its heading. It loads nothing and runs nothing, whatever follows. */
export function htmlStart({ title, heading, css }: { readonly title: string; readonly heading: string; readonly css: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${inertHtml(title)}</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; }
${css}
</style>
</head>
<body>
<main>
<h1>${inertHtml(heading)}</h1>
`;
}
