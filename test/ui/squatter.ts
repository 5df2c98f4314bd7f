import { once } from "node:events";
import { createServer } from "node:http";
import type { BrowserContext } from "playwright-core";

/** Shows a page of its own where the login page of the hub would be. */
const WORKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname === "/login")
    event.respondWith(new Response("<title>squatter</title>", { headers: { "content-type": "text/html" } }));
});`;
const PAGE = `<script>navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() => (document.title = "ready"))</script>`;

/** Another server has an address for a while, is visited once, and leaves a service worker in the browser. */
export async function leaveWorker(context: BrowserContext, address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const server = createServer(({ url }, response) => {
    const [type, text] = url === "/sw.js" ? ["text/javascript", WORKER] : ["text/html", PAGE];
    response.setHeader("content-type", type).end(text);
  });
  await once(server.listen(Number(port), hostname), "listening");
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(`document.title === "ready"`);
  await page.close();
  server.closeAllConnections();
  await once(server.close(), "close");
}
