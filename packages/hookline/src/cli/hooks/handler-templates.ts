interface Template {
  readonly file: string;
  readonly text: string;
}

const script = (types: {
  readonly context: string;
  readonly event: string;
}) => `/** Says no to a forced push; saying nothing lets it pass. */
export function handle(eventType${types.event}, context${types.context}) {
  const command = context.tool?.input?.command ?? "";
  if (/git push .*(-f|--force)\\b/.test(command)) return { decision: "deny", reason: "No forced pushes here." };
  return undefined;
}
`;

const python = `import re


def handle(event_type, context):
    """Says no to a forced push; saying nothing lets it pass."""
    command = context.get("tool", {}).get("input", {}).get("command", "")
    if re.search(r"git push .*(-f|--force)\\b", command):
        return {"decision": "deny", "reason": "No forced pushes here."}
    return None
`;

const shell = `#!/bin/sh
# The event comes as JSON on stdin. Exit 2 says no, with the reason on stderr; exit 0 and no output lets it pass.
case $(cat) in
  *'git push '*--force*)
    echo "No forced pushes here." >&2
    exit 2
    ;;
esac
`;

const templates: { readonly [language: string]: Template } = {
  ts: { file: "handler.ts", text: script({ event: ": string", context: ": { tool?: { input?: { command?: string } } }" }) },
  js: { file: "handler.js", text: script({ event: "", context: "" }) },
  python: { file: "handler.py", text: python },
  sh: { file: "handler.sh", text: shell },
};
const otherNames: { readonly [name: string]: string } = { typescript: "ts", javascript: "js", py: "python", shell: "sh" };

export const languages: readonly string[] = Object.keys(templates);

export function handlerFor(language: string): Template | undefined {
  const name = Object.hasOwn(otherNames, language) ? String(otherNames[language]) : language;
  return Object.hasOwn(templates, name) ? templates[name] : undefined;
}
