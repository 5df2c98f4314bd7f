import { KEY_HEADER, KEY_STORAGE } from "../protocol.js";

/** The code is in the fragment, which browsers do not send, so it appears neither in logs nor in a Referer header. */
export const LOGIN_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hookline</title>
<script src="/login.js" defer></script>
</head>
<body>
<main>
<h1>Hookline</h1>
<p id="state" role="status">Logging in …</p>
<p id="more" hidden></p>
<p id="on" hidden>This browser is signed in already: <a href="/">open the dashboard</a></p>
<noscript><p>The dashboard needs JavaScript.</p></noscript>
</main>
</body>
</html>
`;

/** Matches the dashboard's look before sign-in. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#f4f6f7, #0e1214); color: light-dark(#16212a, #e2e8eb); }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
main { display: grid; align-content: center; justify-items: center; gap: 12px; min-height: 100vh; box-sizing: border-box; padding: 24px; }
h1, p { margin: 0; max-width: 48ch; text-align: center; overflow-wrap: anywhere; }
h1 { font-size: 20px; }
[hidden] { display: none; }
a { color: light-dark(#0a6870, #5cc4cb); }
#more { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
`;

/** `#kept` tells the dashboard to say that the browser's login was kept. */
export const LOGIN_SCRIPT = `"use strict";
const code = location.hash.slice(1);
// Removes the code from the address bar and from the history.
history.replaceState(null, "", "/login");
const STORAGE = ${JSON.stringify(KEY_STORAGE)};
const keyHeader = () => {
  const key = localStorage.getItem(STORAGE);
  return key === null ? {} : { ${JSON.stringify(KEY_HEADER)}: key };
};
const show = (id, text) => {
  const part = document.getElementById(id);
  if (text !== undefined) part.textContent = text;
  part.hidden = false;
};
async function refuse(text, fix) {
  show("state", text);
  show("more", fix);
  const answer = await fetch("/api/me", { headers: keyHeader() });
  if (answer.ok) show("on");
}
async function login() {
  if (code === "") return refuse("This link has no code. For a new one, in a terminal:", "hookline open");
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...keyHeader() },
    body: JSON.stringify({ code }),
  });
  const told = await answer.json();
  if (!answer.ok) return refuse(told.error.message, told.error.fix);
  localStorage.setItem(STORAGE, told.key);
  location.replace(told.isKept ? "/#kept" : "/");
}
// Another link was pasted into the same tab.
addEventListener("hashchange", () => location.reload());
login().catch(() => { show("state", "The hub does not answer. In a terminal:"); show("more", "hookline status"); });
// Comes last: a browser without constructable style sheets can still sign in.
const style = new CSSStyleSheet();
style.replaceSync(${JSON.stringify(STYLE)});
document.adoptedStyleSheets = [style];
`;

export const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Hookline</title></head>
<body><main><h1>Hookline</h1><p>The dashboard is not built. Run: npm run build</p></main></body>
</html>
`;
