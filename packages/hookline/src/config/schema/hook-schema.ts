import { basename, extname } from "node:path";
import { HookError } from "@hookline/core";
import { parseTarget } from "@hookline/core/internal/sinks";
import { z } from "zod";
import { dialectNames, type HookConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { KeyPath } from "../positions/key-positions.js";
import { timeLimitOrNone } from "./amounts.js";
import { goodEvents, match, onFailure, priority, refusePaths, stage, tool } from "./match-values.js";
import { isTable, type Read, readTable } from "./read-table.js";
import { events, example, explained, filePath, flag, label, secretText, text, variable } from "./values.js";

/** The options of every hook that answers events. */
const answering = {
  name: label.optional(),
  description: text.optional(),
  enabled: flag.optional(),
  event: events,
  match: match.optional(),
  tool: tool.optional(),
  priority: priority.optional(),
  stage: stage.optional(),
  timeoutMs: timeLimitOrNone.optional(),
  onFailure: onFailure.optional(),
  canary: example.optional(),
};

const dialect = z.enum(dialectNames, `must be one of ${dialectNames.join(", ")}`);
const argument = z.string("must be text").refine((part) => !part.includes("\0"), "must be text without NUL");

/** The options by kind; the kind is the key that names the program or URL. */
export const hookSchemas = {
  command: z
    .strictObject({
      ...answering,
      command: filePath,
      args: z.array(argument, "must be a list of texts").optional(),
      shell: flag.optional(),
      dialect: dialect.optional(),
      cwd: filePath.optional(),
      env: z.array(variable, "must be a list of names of environment variables").optional(),
      setEnv: z.record(variable, argument, "must be a table of variables and texts").optional(),
    })
    .superRefine(checkStage)
    .superRefine(checkPaths),
  module: z
    .strictObject({ ...answering, module: filePath, export: text.optional() })
    .superRefine(checkStage)
    .superRefine(checkPaths),
  extension: z.strictObject({
    name: label.optional(),
    enabled: flag.optional(),
    extension: filePath,
    config: z
      .record(z.string(), z.json("must be text, a number, true, false, a list or a table"), "must be a table of settings")
      .optional(),
  }),
  url: z
    .strictObject({
      ...answering,
      url: secretText.superRefine(checkUrl),
      headers: z.record(z.string(), secretText, "must be a table of headers").optional(),
      dialect: dialect.optional(),
    })
    .superRefine(checkStage)
    .superRefine(checkPaths),
};

/** A value from a file or variable is checked when it is read. */
function checkUrl(url: unknown, context: z.RefinementCtx): void {
  if (typeof url !== "string") return;
  const wrong = (text: string) => new HookError("HL_URL_TARGET", text);
  const fault = (wants: string) => wrong(`must be ${wants}`);
  try {
    const plain = () => fault("https: plain http is for 127.0.0.1, [::1] and localhost only");
    parseTarget(
      url,
      { allowPrivate: true, allowHttp: false },
      { bad: fault, refused: (why) => wrong(`must not be called: ${why}`), plain },
    );
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
}

function checkStage({ stage, onFailure }: { readonly stage?: unknown; readonly onFailure?: unknown }, context: z.RefinementCtx): void {
  if (stage !== "observe" || onFailure !== "closed") return;
  const message = 'cannot be "closed" in stage "observe", which comes after the decision: leave it out, or use stage "guard"';
  context.addIssue(explained(message, { path: ["onFailure"] }));
}

function checkPaths(hook: { readonly event?: unknown; readonly match?: unknown; readonly tool?: unknown }, context: z.RefinementCtx): void {
  refusePaths({ match: hook.match, tool: hook.tool }, goodEvents(hook.event), context);
}

type Placeless<T> = T extends unknown ? Omit<T, "file" | "line"> : never;
type Kind = keyof typeof hookSchemas;
const kinds = Object.keys(hookSchemas) as Kind[];

/** Reads one `[[hook]]` table. A disabled one is kept, so that it can be listed. */
export function readHook(table: unknown, path: KeyPath, folder: string): Read<Placeless<HookConfig>> {
  const [kind, second] = kinds.filter((key) => isTable(table) && Object.hasOwn(table, key));
  if (kind === undefined) return wrong(path, `A hook needs one of ${listed(kinds)}.`);
  if (second !== undefined) return wrong([...path, second], `A hook has either "${kind}" or "${second}", not both.`);
  const { value, findings } = readTable<(typeof hookSchemas)[Kind]>(hookSchemas[kind], table, path);
  return { value: value && shapeOf(kind, value, folder), findings };
}

function shapeOf(kind: Kind, value: object, folder: string): Placeless<HookConfig> {
  const { event, ...rest } = Object.fromEntries(Object.entries(value).filter(([, option]) => option !== undefined));
  const fields = { ...rest, ...(event !== undefined && { events: [...new Set(event as string[])] }) } as { [key: string]: unknown };
  const behind = String(typeof fields[kind] === "object" ? "" : fields[kind]);
  const name = (fields.name as string | undefined) ?? nameOf(kind, behind);
  if (kind === "module") return { export: "handle", ...fields, kind, name, module: resolvePath(folder, behind) } as Placeless<HookConfig>;
  if (kind === "extension") {
    const { extension: _, ...others } = fields;
    return {
      ...others,
      kind,
      name,
      ...(fields.name !== undefined && { isNamed: true }),
      folder: resolvePath(folder, behind),
    } as Placeless<HookConfig>;
  }
  const cwd = fields.cwd as string | undefined;
  const place = cwd === undefined || cwd === "event" ? {} : { cwd: resolvePath(folder, cwd) };
  return { ...fields, kind, name, ...place } as Placeless<HookConfig>;
}

function nameOf(kind: Kind, behind: string): string {
  if (kind === "url") return URL.canParse(behind) ? new URL(behind).hostname : "url";
  const program = kind === "command" ? (behind.trim().split(/\s+/)[0] ?? "") : behind;
  return (
    basename(program, extname(program))
      .replaceAll(/[\s\p{Cc}]+/gu, "-")
      .slice(0, 64) || kind
  );
}

function wrong(path: KeyPath, message: string): Read<never> {
  return { value: undefined, findings: [{ path, message }] };
}

function listed(names: readonly string[]): string {
  return `${names
    .slice(0, -1)
    .map((name) => `"${name}"`)
    .join(", ")} or "${names.at(-1)}"`;
}
