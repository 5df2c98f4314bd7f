import type { HandlerPurpose } from "./handler-purposes.js";

interface Template {
  readonly file: string;
  readonly text: string;
}

type Language = (purpose: HandlerPurpose) => Template;

const templates: { readonly [language: string]: Language } = {
  ts: (purpose) => ({ file: "handler.ts", text: script(purpose, { event: ": string", context: `: ${purpose.context}` }) }),
  js: (purpose) => ({ file: "handler.js", text: script(purpose, { event: "", context: "" }) }),
  python: (purpose) => ({ file: "handler.py", text: python(purpose) }),
  sh: ({ shell }) => ({ file: "handler.sh", text: shell }),
};
const otherNames: { readonly [name: string]: string } = {
  typescript: "ts",
  javascript: "js",
  py: "python",
  shell: "sh",
  bash: "sh",
  zsh: "sh",
};

export const languages: readonly string[] = Object.keys(templates);

export function handlerFor(language: string, purpose: HandlerPurpose): Template | undefined {
  const name = Object.hasOwn(otherNames, language) ? String(otherNames[language]) : language;
  return Object.hasOwn(templates, name) ? templates[name]?.(purpose) : undefined;
}

function script(
  { description, imports, script: body }: HandlerPurpose,
  types: { readonly event: string; readonly context: string },
): string {
  return `${imports?.script ?? ""}/** ${description} */
export function handle(eventType${types.event}, context${types.context}) {
${body}
}
`;
}

function python({ description, imports, python: body }: HandlerPurpose): string {
  const head = imports === undefined || imports.python === "" ? "" : `${imports.python}\n\n`;
  return `${head}def handle(event_type, context):
    """${description}"""
${body}
`;
}
