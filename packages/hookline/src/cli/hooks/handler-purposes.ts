import { resolveEvent, samplePayload } from "@hookline/core/internal";

/** What a new hook does, in each language: a body for `handle(eventType, context)`, or a whole shell script. */
export interface HandlerPurpose {
  readonly description: string;
  /** A call that it must deny. */
  readonly canary?: string;
  /** The type of `context`, as far as the script reads it. */
  readonly context: string;
  readonly imports?: { readonly script: string; readonly python: string };
  readonly script: string;
  readonly python: string;
  readonly shell: string;
}

/** A body that makes sense for this event: a hook that denies commands would be useless at the end of a session. */
export function purposeFor(event: string, name: string): HandlerPurpose {
  const { kind, outcomes } = resolveEvent(event).spec;
  const payload = samplePayload(event);
  if (kind === "transform") return event === "tool:env" ? environment(name) : redaction;
  if (kind === "gate" && outcomes.includes("block") && "tool" in payload) return toolGuard;
  if (kind === "gate" && outcomes.includes("block") && "prompt" in payload) return promptGuard;
  return kind === "gate" && outcomes.includes("inject") && !outcomes.includes("block") ? context : record(name);
}

const refuse = (pattern: string, reason: string) => `#!/bin/sh
# The event comes as JSON on stdin. Exit 2 says no, with the reason on stderr; exit 0 and no output lets it pass.
if grep -Eq -e '${pattern}'; then
  echo "${reason}" >&2
  exit 2
fi
`;

const toolGuard: HandlerPurpose = {
  description: "Denies a forced push; without an answer the call passes.",
  canary: "git push --force origin main",
  context: "{ tool?: { input?: { command?: string } } }",
  script: `  const command = context.tool?.input?.command ?? "";
  if (/git push.* (-f|--force)\\b/.test(command)) return { decision: "deny", reason: "No forced pushes here." };
  return undefined;`,
  python: `    command = context.get("tool", {}).get("input", {}).get("command", "")
    if re.search(r"git push.* (-f|--force)\\b", command):
        return {"decision": "deny", "reason": "No forced pushes here."}
    return None`,
  imports: { script: "", python: "import re\n" },
  shell: refuse("git push.* (-f|--force)([^[:alnum:]_]|$)", "No forced pushes here."),
};

const promptGuard: HandlerPurpose = {
  description: "Denies a prompt that contains a private key; without an answer the prompt passes.",
  canary: "-----BEGIN PRIVATE KEY-----",
  context: "{ prompt?: unknown }",
  script: `  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(String(context.prompt))) return { decision: "deny", reason: "The prompt contains a private key." };
  return undefined;`,
  python: `    if re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY", str(context.get("prompt"))):
        return {"decision": "deny", "reason": "The prompt contains a private key."}
    return None`,
  imports: { script: "", python: "import re\n" },
  shell: refuse("-----BEGIN [A-Z ]*PRIVATE KEY", "The prompt contains a private key."),
};

const context: HandlerPurpose = {
  description: "Tells the model something; without an answer nothing is added.",
  context: "{ session_id?: string }",
  script: `  return { inject: "Run the tests before you say that you are done." };`,
  python: `    return {"inject": "Run the tests before you say that you are done."}`,
  shell: `#!/bin/sh
# The event comes as JSON on stdin. What is to be answered is JSON on stdout; no output adds nothing.
echo '{"inject":"Run the tests before you say that you are done."}'
`,
};

const redaction: HandlerPurpose = {
  description: "Replaces what looks like a key in the text; without an answer the text stays as it is.",
  context: "{ value?: unknown }",
  script: `  if (typeof context.value !== "string") return undefined;
  return { result: context.value.replaceAll(/\\bsk-[\\w-]{8,}/g, "(a key)") };`,
  python: `    value = context.get("value")
    if not isinstance(value, str):
        return None
    return {"result": re.sub(r"\\bsk-[\\w-]{8,}", "(a key)", value)}`,
  imports: { script: "", python: "import re\n" },
  shell: `#!/bin/sh
# The event comes as JSON on stdin. What is to be answered is JSON on stdout: { "value": … } replaces the text, no output leaves it.
if grep -Eq -e 'sk-[[:alnum:]_-]{8,}'; then
  echo '{"value":"(a key was removed)"}'
fi
`,
};

const environment = (name: string): HandlerPurpose => ({
  ...record(name),
  description: "Sets a variable for the tool; without an answer the environment stays as it is.",
  imports: { script: "", python: "" },
  context: "{ value?: { [name: string]: string } }",
  script: `  return { result: { ...context.value, GIT_TERMINAL_PROMPT: "0" } };`,
  python: `    return {"result": {**context.get("value", {}), "GIT_TERMINAL_PROMPT": "0"}}`,
});

const record = (name: string): HandlerPurpose => ({
  description: `Writes a line for every event to ~/${name}.log.`,
  context: "{ session_id?: string }",
  imports: {
    script: `import { appendFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

`,
    python: `from datetime import datetime, timezone
from pathlib import Path
`,
  },
  script: `  const line = \`\${new Date().toISOString()} \${eventType} \${context.session_id ?? "-"}\\n\`;
  appendFileSync(join(homedir(), "${name}.log"), line);`,
  python: `    with open(Path.home() / "${name}.log", "a") as log:
        log.write(f"{datetime.now(timezone.utc).isoformat()} {event_type} {context.get('session_id', '-')}\\n")`,
  shell: `#!/bin/sh
# The event comes as JSON on stdin, one line. Writes it to ~/${name}.log.
printf '%s\\n' "$(cat)" >> "$HOME/${name}.log"
`,
});
