import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EventSpec } from "@hookline/core";
import { DEFAULT_HANDLER_TIMEOUT_MS, resolveEvent } from "@hookline/core/internal";
import { replaceFile } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { digestOfWritten } from "../../hub/policy/hook-changes.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import { acceptOwn } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { findOnDisk, userHooksFolder } from "./find-hooks.js";
import { type HandlerPurpose, purposeFor } from "./handler-purposes.js";
import { handlerFor, languages } from "./handler-templates.js";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

interface NewHookOptions {
  readonly language?: string;
  readonly event?: string;
}

export const command: CommandModule<NewHookOptions> = {
  define(command) {
    command
      .argument("[name]", "letters, digits, dots and dashes", text)
      .option("--language <name>", `${languages.join(", ")} (default: ts)`, text)
      .option("--event <name>", "the event it handles (default: tool:before)", text)
      .addHelpText("after", "\nThe folder is created in ~/.config/hookline/hooks. A running hub loads it within a second.")
      .addHelpText(
        "after",
        examples("hookline hooks new push-guard", "hookline hooks new key-guard --language python --event prompt:submit"),
      );
  },

  run: newHook,
};

async function newHook(
  terminal: Terminal,
  { language = "ts", event = "tool:before" }: NewHookOptions,
  [name]: readonly string[],
): Promise<number> {
  if (name === undefined || !NAME.test(name))
    throw new CliError("Give the hook a name of letters, digits, dots and dashes.", {
      exitCode: EXIT.usage,
      fix: { run: "hookline hooks new my-guard" },
    });
  const { name: canonical, spec } = readEvent(event);
  const purpose = purposeFor(canonical, name);
  const handler = handlerFor(language, purpose);
  if (handler === undefined)
    throw new CliError(`There is no template for "${language}". Languages: ${languages.join(", ")}.`, {
      exitCode: EXIT.usage,
      fix: { run: `hookline hooks new ${name} --language ${languages[0]}` },
    });
  const folder = makeFolder(join(userHooksFolder(terminal.env), name), name);
  const manifest = manifestOf(name, canonical, { spec, purpose });
  replaceFile(join(folder, "HOOK.yaml"), manifest, {});
  replaceFile(join(folder, handler.file), handler.text, { mode: handler.file.endsWith(".sh") ? 0o700 : 0o600 });
  terminal.print(folder);
  const { hooks } = await findOnDisk(terminal.env, ".");
  const made = hooks.find(({ path }) => path === folder);
  const digest = made && digestOfWritten(made, { "HOOK.yaml": manifest, [handler.file]: handler.text });
  if (made !== undefined && digest !== undefined) await acceptOwn(terminal, name, [{ id: `hook:${made.id}`, digest }]);
  terminal.say(`Try it: hookline hooks test ${inertText(name)}`);
  return EXIT.ok;
}

function readEvent(event: string): ReturnType<typeof resolveEvent> {
  try {
    return resolveEvent(event);
  } catch (cause) {
    throw new CliError((cause as Error).message, { exitCode: EXIT.usage, fix: { run: "hookline hooks new --help" }, cause });
  }
}

function makeFolder(folder: string, name: string): string {
  try {
    mkdirSync(join(folder, ".."), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new CliError(`The hook "${name}" already exists in "${folder}". Nothing was changed; choose another name.`, {
        fix: { run: `hookline hooks test ${name}` },
        cause,
      });
    throw new CliError(`"${folder}" cannot be created: ${message}.`, { fix: { run: "hookline doctor" }, cause });
  }
}

function manifestOf(
  name: string,
  event: string,
  { spec, purpose }: { readonly spec: EventSpec; readonly purpose: HandlerPurpose },
): string {
  return `name: ${JSON.stringify(name)}
description: ${JSON.stringify(purpose.description)}
events: [${JSON.stringify(event)}]
permissions: [${JSON.stringify(spec.permission)}]
timeoutMs: ${DEFAULT_HANDLER_TIMEOUT_MS}
${modeFor(spec)}${purpose.canary === undefined ? "" : canaryOf(purpose.canary)}`;
}

function modeFor({ kind, outcomes }: EventSpec): string {
  if (kind === "transform") return TRANSFORM_MODE;
  return kind === "gate" && outcomes.includes("block") ? GUARD_MODE : OBSERVER_MODE;
}

const GUARD_MODE = `# When it fails: closed blocks the call, open lets it pass.
onFailure: closed
`;
const TRANSFORM_MODE = `# When it fails: closed withholds the value ("[withheld: …]"), open lets it through unchanged.
onFailure: closed
`;
const OBSERVER_MODE = `# When it fails: open, because it has nothing to block.
onFailure: open
`;

function canaryOf(canary: string): string {
  return `# What it must deny: hookline selftest sends it.
canary: ${JSON.stringify(canary)}
`;
}
