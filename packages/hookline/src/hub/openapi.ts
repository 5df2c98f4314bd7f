import type { Parameter, Route, Schema } from "./routes/route.js";
import { error } from "./routes/schemas.js";

/** The routes as an OpenAPI 3.1 document. */
export function createOpenApi(routes: readonly Route[], version: string): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const method = route.method.toLowerCase();
    // The second way to use a path needs a name of its own.
    const prefix = paths[path] === undefined ? "" : `${method}/`;
    paths[path] = { ...paths[path], [method]: operationOf(route, prefix) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Hookline hub", version, license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: {
      schemas: { Error: error },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token of operator.json, or of hub.json to ingest and to decide." },
      },
    },
  };
}

function operationOf({ path, scope, isPage, summary, query = {}, body, response }: Route, prefix: string): Schema {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const parameters = [...inPath, ...Object.entries(query).map(([name, parameter]) => parameterOf(name, parameter))];
  const { status = 200, description, mediaType = "application/json", schema } = response;
  return {
    operationId: operationIdOf(isPage ? `/api/page${path}` : path.replace("/api/", `/api/${prefix}`)),
    summary,
    security: scope === "public" ? [] : [{ token: [] }],
    ...(scope !== "public" && { "x-scope": scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      [status]: { description, content: { [mediaType]: { schema } } },
      default: { description: "Why not.", content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
    },
  };
}

function parameterOf(name: string, { description, schema, isRequired = false, isRepeatable }: Parameter): Schema {
  return { name, in: "query", description, required: isRequired, schema: isRepeatable ? { type: "array", items: schema } : schema };
}

function contentOf(body: NonNullable<Route["body"]>): Schema {
  return Object.fromEntries(Object.entries(body).map(([mediaType, schema]) => [mediaType, { schema }]));
}

/** `/api/token/rotate` is `tokenRotate`. */
function operationIdOf(path: string): string {
  const words = path.replace(/^\/api\//, "").match(/\w+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}
