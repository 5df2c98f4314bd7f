import { KEY_STORAGE } from "../protocol.js";

/** The code stands in the fragment, which no browser sends: it is in no log, and in no Referer. */
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
<noscript><p>The page needs JavaScript.</p></noscript>
</main>
</body>
</html>
`;

export const LOGIN_SCRIPT = `"use strict";
const code = location.hash.slice(1);
// It stays neither in the address bar nor in the history.
history.replaceState(null, "", "/login");
const say = (text) => { document.getElementById("state").textContent = text; };
async function login() {
  if (code === "") return say("This link has no code. Run: hookline open");
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const told = await answer.json();
  if (!answer.ok) return say(told.error.message + " " + (told.error.fix ?? ""));
  localStorage.setItem(${JSON.stringify(KEY_STORAGE)}, told.key);
  location.replace("/");
}
login().catch(() => say("The hub does not answer. Run: hookline status"));
`;

export const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Hookline</title></head>
<body><main><h1>Hookline</h1><p>The page is not built: npm run build</p></main></body>
</html>
`;
