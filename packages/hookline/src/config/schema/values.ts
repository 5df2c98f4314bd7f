import type { HookError } from "@hookline/core";
import { compileRedaction, withFix } from "@hookline/core/internal";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { z } from "zod";
import { compilePathList } from "../../commands/path-list.js";

export const flag = z.boolean("must be true or false");
export const text = z.string("must be text that is not empty").min(1, "must be text that is not empty");
export const filePath = text.refine((path) => !path.includes("\0"), "must be the path of a file");
export const label = z
  .string("must be a name without spaces")
  .regex(/^[^\s\p{Cc}]{1,64}$/u, "must be a name without spaces, of at most 64 characters");
export const count = z.int("must be a whole number above 0").min(1, "must be a whole number above 0");

/** A value or a list of values; the result is always a list. */
function oneOrMore<T extends z.ZodType<string>>(item: T, wants: string) {
  return z
    .union([item, z.array(item)], `must be ${wants}`)
    .transform((given): string[] => (Array.isArray(given) ? given : [given]))
    .refine((list) => list.length > 0, `must be ${wants}`);
}

/** An event's name in any spelling, or a pattern such as `tool:*`. */
const event = z.string("must be an event's name or a pattern").superRefine((name, context) => {
  try {
    compileEventFilter(name);
  } catch (error) {
    // The bus reports what is wrong with a name, and which one was meant.
    context.addIssue(explained(`is wrong: ${(error as Error).message}`));
  }
});
export const events = oneOrMore(event, "an event's name, a pattern such as tool:*, or a list of them");

const redactPath = z.string("must be a path such as tool.input.token").superRefine((path, context) => {
  if (path.split(".").every((key) => key !== "")) refuse(() => compileRedaction(path), context);
  else context.addIssue({ code: "custom", message: "must be a path such as tool.input.token" });
});
export const redactPaths = oneOrMore(redactPath, "a path such as tool.input.token, or a list of them");

const pathPattern = text.superRefine((pattern, context) => {
  if (/^!?@/.test(pattern)) context.addIssue(explained("is wrong: a set consists of paths, not of other sets"));
  else refuse(() => compilePathList([pattern]), context);
});
/** What a set of paths has more, or with `!` less. */
export const pathPatterns = oneOrMore(pathPattern, 'a path such as "~/keys/**", or a list of them');

const signerKey = z
  .string()
  .regex(/^(SHA256:[\w-]{43}|[A-Za-z0-9+/]{43}=)$/, "must be a public key in base64, or its fingerprint SHA256:…");
/** More than one while a key is replaced by another. */
export const signerKeys = oneOrMore(signerKey, "a public key in base64, its fingerprint SHA256:…, or a list of them");

/** Text that may come from an environment variable or a file instead. */
export const secretText = z.union(
  [text, z.strictObject({ env: text }), z.strictObject({ file: filePath })],
  'must be text, { env = "NAME" } or { file = "path" }',
);

/** The name of an environment variable. */
export const variable = z
  .string("must be the name of an environment variable")
  .regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");

/** An example for a guard: a command, a prompt or a whole payload. */
export const example = z.union([z.string(), z.record(z.string(), z.json())], "must be a command, a prompt or a payload");

/** Turns a compile error into an issue with its message and offset. */
export function refuse(compile: () => unknown, context: z.RefinementCtx, path: readonly string[] = []): void {
  try {
    compile();
  } catch (error) {
    const { message, position: at, fix } = error as HookError;
    // The first line is enough: the others quote the text, which the reader can see.
    const [what = ""] = message.split("\n");
    context.addIssue(explained(`is wrong${at === undefined ? "" : ` at character ${at + 1}`}: ${withFix(what, fix)}`, { at, path }));
  }
}

interface Where {
  readonly path?: readonly PropertyKey[];
  /** The character of the text that is wrong. */
  readonly at?: number | undefined;
}

/** An issue whose message says what is wrong with the value. Other messages say what the value must be, and the value is shown after them. */
export function explained(message: string, { path = [], at }: Where = {}) {
  return { code: "custom" as const, path: [...path], message, params: { isExplained: true, at } };
}
