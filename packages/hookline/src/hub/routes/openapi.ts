import { json } from "../http/answer.js";
import type { Route } from "./route.js";

export const openapi: Route = {
  method: "GET",
  path: "/api/openapi.json",
  scope: "read",
  summary: "This API as an OpenAPI 3.1 document",
  response: { description: "The document.", schema: { type: "object" } },
  handle: ({ desk }) => json(desk.openApi()),
};
