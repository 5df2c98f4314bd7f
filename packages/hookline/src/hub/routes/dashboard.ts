import { z } from "zod";
import { originOf } from "../auth/host-guard.js";
import { dashboardAnswer, readDashboardFile, SCRIPT_TYPE } from "../dashboard/dashboard-files.js";
import { MANIFEST, WORKER_PATH, WORKER_SCRIPT } from "../dashboard/installed-app.js";
import { LOGIN_PAGE, LOGIN_SCRIPT, NOT_BUILT } from "../dashboard/login-page.js";
import { Refused } from "../http/refused.js";
import { route } from "./route.js";

export const dashboard = route({
  method: "GET",
  path: "/",
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Gives the dashboard",
  answer: { description: "The dashboard, which shows nothing before it has signed in.", mediaType: "text/html" },
  handle({ parts, incoming }) {
    const where = originOf(incoming) === parts.publicOrigin ? "public" : "own";
    return dashboardAnswer(readDashboardFile("", "index.html")?.bytes ?? NOT_BUILT, undefined, where);
  },
});

export const loginPage = route({
  method: "GET",
  path: "/login",
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Gives the login page, which the links of `hookline open` lead to",
  answer: { description: "A page that exchanges the code behind the `#` for a cookie.", mediaType: "text/html" },
  handle: () => dashboardAnswer(LOGIN_PAGE),
});

export const loginScript = route({
  method: "GET",
  path: "/login.js",
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Gives the script of the login page",
  answer: { description: "The script.", mediaType: "text/javascript" },
  handle: () => dashboardAnswer(LOGIN_SCRIPT, SCRIPT_TYPE),
});

export const manifest = route({
  method: "GET",
  path: "/app.webmanifest",
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Tells browsers how to install the dashboard as an app",
  answer: { description: "The manifest.", mediaType: "application/manifest+json" },
  handle: () => dashboardAnswer(MANIFEST, "application/manifest+json"),
});

export const worker = route({
  method: "GET",
  path: WORKER_PATH,
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Gives the service worker of the public address, which shows push messages",
  answer: { description: "The script.", mediaType: "text/javascript" },
  handle: () => dashboardAnswer(WORKER_SCRIPT, SCRIPT_TYPE),
});

export const asset = route({
  method: "GET",
  path: "/assets/:file",
  scope: "public",
  access: "read",
  isDashboard: true,
  summary: "Gives the scripts, styles and pictures of the dashboard",
  params: z.object({ file: z.string().describe("The file's name.") }),
  answer: { description: "The file.", mediaType: "*/*" },
  handle({ params }) {
    const file = readDashboardFile("assets", params.file);
    if (file === undefined) throw new Refused(404, "HL_NOT_FOUND", "The dashboard has no such file.");
    return dashboardAnswer(file.bytes, file.type);
  },
});
