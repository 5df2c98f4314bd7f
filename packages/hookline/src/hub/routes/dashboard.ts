import { dashboardAnswer, readDashboardFile, SCRIPT_TYPE } from "../dashboard/dashboard-files.js";
import { LOGIN_PAGE, LOGIN_SCRIPT, NOT_BUILT } from "../dashboard/login-page.js";
import { Refused } from "../http/refused.js";
import type { Route } from "./route.js";

const html = { mediaType: "text/html", schema: { type: "string" } } as const;

export const page: Route = {
  method: "GET",
  path: "/",
  scope: "public",
  isPage: true,
  summary: "The page",
  response: { description: "It knows nothing before it has logged in.", ...html },
  handle: () => dashboardAnswer(readDashboardFile("", "index.html")?.bytes ?? NOT_BUILT),
};

export const loginPage: Route = {
  method: "GET",
  path: "/login",
  scope: "public",
  isPage: true,
  summary: "Where the links of `hookline open` lead",
  response: { description: "A page that exchanges the code behind the `#` for a cookie.", ...html },
  handle: () => dashboardAnswer(LOGIN_PAGE),
};

export const loginScript: Route = {
  method: "GET",
  path: "/login.js",
  scope: "public",
  isPage: true,
  summary: "The script of that page",
  response: { description: "The script.", mediaType: "text/javascript", schema: { type: "string" } },
  handle: () => dashboardAnswer(LOGIN_SCRIPT, SCRIPT_TYPE),
};

export const asset: Route = {
  method: "GET",
  path: "/assets/:file",
  scope: "public",
  isPage: true,
  summary: "Scripts, styles and pictures of the page",
  response: { description: "The file.", mediaType: "*/*", schema: { type: "string" } },
  handle({ param }) {
    const file = readDashboardFile("assets", param("file"));
    if (file === undefined) throw new Refused(404, "HL_NOT_FOUND", "The page has no such file.");
    return dashboardAnswer(file.bytes, file.type);
  },
};
