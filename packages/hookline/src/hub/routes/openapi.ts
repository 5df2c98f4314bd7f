import { z } from "zod";
import { accessOf } from "../auth/access.js";
import { json } from "../http/answer.js";
import { JSON_MEDIA } from "../http/request-body.js";
import { type Route, route } from "./route.js";
import { contract, errorAnswer } from "./schemas.js";

type Schema = { readonly [keyword: string]: unknown };

export const openapi = route({
  method: "GET",
  path: "/api/openapi.json",
  scope: "read",
  access: "read",
  summary: "Describes this API as an OpenAPI 3.1 document",
  answer: {
    description: "The document.",
    body: z.record(z.string(), z.unknown()).register(contract, { id: "OpenApiDocument" }),
  },
  handle: ({ server }) => json(server.openApi()),
});

/** The routes as an OpenAPI 3.1 document. */
export function createOpenApi(routes: readonly Route[], version: string): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const declared of routes) {
    const path = declared.path.replaceAll(/:(\w+)/g, "{$1}");
    const method = declared.method.toLowerCase();
    // A second method at the same path needs an operation id of its own.
    const prefix = paths[path] === undefined ? "" : `${method}/`;
    paths[path] = { ...paths[path], [method]: operationOf(declared, prefix) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Hookline hub", version, license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: {
      schemas: z.toJSONSchema(contract, { ...asJson, uri: refTo }).schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token of operator.json, or of hub.json to ingest and to decide." },
      },
    },
  };
}

function operationOf({ path, scope, access, isDashboard, summary, params, query, body, rawBody, answer }: Route, prefix: string): Schema {
  const parameters = [
    ...Object.entries(params?.shape ?? {}).map(([name, schema]) => parameterOf("path", name, schema)),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => parameterOf("query", name, schema)),
  ];
  const bodies = rawBody ?? (body === undefined ? undefined : { [JSON_MEDIA]: body });
  return {
    operationId: operationIdOf(isDashboard ? `/api/dashboard${path}` : path.replace("/api/", `/api/${prefix}`)),
    summary,
    security: scope === "public" ? [] : [{ token: [] }],
    ...(scope !== "public" && { "x-scope": scope }),
    "x-access": accessOf({ access }),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies !== undefined && { requestBody: { required: true, content: contentOf(bodies) } }),
    responses: {
      [answer.status ?? 200]: {
        description: answer.description,
        content: contentOf({ [answer.mediaType ?? JSON_MEDIA]: answer.body ?? z.string() }),
        ...(answer.events !== undefined && { "x-events": contentOf(answer.events) }),
      },
      default: { description: "Why the request failed.", content: contentOf({ [JSON_MEDIA]: errorAnswer }) },
    },
  };
}

function parameterOf(where: "path" | "query", name: string, schema: z.core.$ZodType): Schema {
  const { description, ...rest } = schemaOf(schema as z.ZodType);
  const isRequired = !(schema as z.ZodType).safeParse(undefined).success;
  return { name, in: where, description, required: isRequired, schema: rest };
}

function contentOf(bodies: { readonly [mediaType: string]: z.ZodType }): Schema {
  return Object.fromEntries(Object.entries(bodies).map(([mediaType, schema]) => [mediaType, { schema: schemaOf(schema) }]));
}

/** Named types are referred to; others are written out. */
function schemaOf(schema: z.ZodType): Schema {
  const name = contract.get(schema)?.id;
  if (name !== undefined) return { $ref: refTo(name) };
  if (schema instanceof z.ZodUnion) return { anyOf: schema.options.map((option) => schemaOf(option as z.ZodType)) };
  const { $schema: _, ...written } = z.toJSONSchema(schema, asJson);
  return written;
}

const asJson = {
  io: "input",
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }) {
    Object.assign(jsonSchema, contract.get(zodSchema)?.json);
    // Every whole number has this limit in JSON.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

function refTo(id: string): string {
  return `#/components/schemas/${id}`;
}

/** `/api/token/rotate` is `tokenRotate`. */
function operationIdOf(path: string): string {
  const words = path.replace(/^\/api\//, "").match(/\w+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}
