/** The dashboard as an app that a phone has installed. */
export const MANIFEST = JSON.stringify({
  id: "/",
  name: "Hookline",
  short_name: "Hookline",
  description: "What your agents do, and the calls that wait for you.",
  start_url: "/?view=approvals",
  scope: "/",
  display: "standalone",
  background_color: "#f4f6f7",
  theme_color: "#0b6e75",
  icons: [
    { src: "/assets/app-192.png", sizes: "192x192", type: "image/png" },
    { src: "/assets/app-512.png", sizes: "512x512", type: "image/png" },
    { src: "/assets/app-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
});

export const WORKER_PATH = "/worker.js";

/** Shows push messages, and opens what they lead to. It stores nothing and answers no request, so the dashboard always comes from the hub. */
export const WORKER_SCRIPT = `"use strict";
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
const text = (value, other) => (typeof value === "string" && value !== "" ? value.slice(0, 200) : other);
// A link that leads elsewhere opens the list of calls that wait.
const own = (link) => {
  try {
    const url = new URL(link, location.origin);
    return url.origin === location.origin ? url.href : undefined;
  } catch {}
};
addEventListener("push", (event) => {
  let told = {};
  try { told = event.data.json(); } catch {}
  const options = { body: text(told.text, ""), tag: "hookline", renotify: true, icon: "/assets/app-192.png", data: { link: told.link } };
  event.waitUntil(registration.showNotification(text(told.title, "A call waits for your answer"), options));
});
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(clients.openWindow(own(event.notification.data?.link) ?? "/?view=approvals"));
});
`;
