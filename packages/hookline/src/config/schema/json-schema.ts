import { z } from "zod";
import { hookSchemas } from "./hook-schema.js";
import { notifySchemas } from "./read-notify.js";
import { ruleSchema } from "./rule-schema.js";
import { sinkSchemas } from "./sink-schemas.js";
import { tableSchemas } from "./table-schemas.js";

/** `hookline.toml` as JSON Schema, for editors. It is less strict than the checks: it accepts any regular expression and event name. */
export function configJsonSchema(): object {
  const tables = z.strictObject({
    hub: tableSchemas.hub.optional(),
    retention: tableSchemas.retention.optional(),
    redact: tableSchemas.redact.optional(),
    paths: tableSchemas.paths.optional(),
    prices: tableSchemas.prices.optional(),
    mcp: tableSchemas.mcp.optional(),
    rule: z.array(ruleSchema).optional(),
    hook: z.array(anyOf(Object.values(hookSchemas))).optional(),
    sink: z.array(anyOf(Object.entries(sinkSchemas).map(([type, schema]) => schema.extend({ type: z.literal(type) })))).optional(),
    notify: z.array(anyOf(Object.entries(notifySchemas).map(([type, schema]) => schema.extend({ type: z.literal(type) })))).optional(),
  });
  const schema = z.toJSONSchema(tables, { io: "input", unrepresentable: "any" });
  return { ...schema, title: "hookline.toml", description: "Configuration of Hookline; docs/configuration.md explains it." };
}

function anyOf(schemas: readonly z.ZodType[]): z.ZodType {
  return schemas.length === 1 ? (schemas[0] as z.ZodType) : z.union(schemas);
}
