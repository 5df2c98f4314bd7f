import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EventSpec, resolveEvent } from "@hookline/core";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { userHooksFolder } from "./find-hooks.js";
import { handlerFor, languages } from "./handler-templates.js";
import type { HooksOptions } from "./options.js";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** `hookline hooks new <name> --language ts|js|python|sh --event <name>`: a folder that works as it is. */
export async function newHook(
  terminal: Terminal,
  { language = "ts", event = "tool:before" }: HooksOptions,
  [name]: readonly string[],
): Promise<number> {
  if (name === undefined || !NAME.test(name))
    throw new CliError("Give the hook a name of letters, digits, dots and dashes.", {
      exitCode: EXIT.usage,
      next: "hookline hooks new my-guard",
    });
  const handler = handlerFor(language);
  if (handler === undefined)
    throw new CliError(`There is no template for "${language}". Languages: ${languages.join(", ")}.`, { exitCode: EXIT.usage });
  const { name: canonical, spec } = resolveEvent(event);
  const folder = join(userHooksFolder(terminal.env), name);
  try {
    mkdirSync(join(folder, ".."), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    throw new CliError(`"${folder}" cannot be made: ${(cause as Error).message}.`, { next: "hookline hooks list", cause });
  }
  writeFileSync(join(folder, "HOOK.yaml"), manifestOf(name, canonical, spec));
  writeFileSync(join(folder, handler.file), handler.text, { mode: handler.file.endsWith(".sh") ? 0o755 : 0o644 });
  terminal.print(folder);
  terminal.say(`Try it: hookline hooks test ${inert(name)} --event ${canonical}`);
  return EXIT.ok;
}

function manifestOf(name: string, event: string, { kind, outcomes, permission }: EventSpec): string {
  // A text would be a prompt there, and the templates look at commands.
  const isTried = kind === "gate" && outcomes.includes("block") && permission !== "llm.content";
  return `name: ${JSON.stringify(name)}
description: Blocks a forced push.
events: [${JSON.stringify(event)}]
permissions: [${JSON.stringify(permission)}]
timeoutMs: 5000
# When it fails: open lets the call pass, closed blocks it. Guards are closed unless they say otherwise.
# onFailure: open
${isTried ? canary : ""}`;
}

const canary = `# What it must deny: hookline selftest sends it.
canary: "git push --force origin main"
`;
