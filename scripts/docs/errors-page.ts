import { errorCodes } from "../../packages/core/dist/catalog/error-codes.js";
import type { FailureKind } from "../../packages/core/dist/catalog/errors.js";
import { blocks, code, codes, page } from "./markdown.ts";

// A record and not a list: the compiler then reports a missing kind.
const failureKinds: Record<FailureKind, true> = {
  timeout: true,
  crash: true,
  spawn_error: true,
  protocol_error: true,
  invalid_verdict: true,
  overloaded: true,
  untrusted: true,
  disabled: true,
  suspended: true,
  cancelled: true,
};

const introduction = `# Errors

Every error is a \`HookError\`. Its \`code\` is one of those below; the message says what is wrong, where and why. \`fix\` says what to do, if there is a remedy: a sentence, or \`{ run }\` with a command to run. \`errorText(error)\` returns both as one text. \`event\`, \`handler\` and \`owner\` say where it happened, \`position\` where in a text, and \`cause\` is the underlying error.
\`failure\` is set if something failed instead of deciding: ${codes(Object.keys(failureKinds))}. None of these is a person's decision.

\`on\` throws errors in a registration. The bus reports failures in a dispatch to \`bus.onError\`; if a failure denied a call, it is also in \`decision.cause\`.`;

type Row = [name: string, text: { readonly when: string; readonly fix: string }];

/** docs/reference/errors.md: every code, when it comes and what to do. */
export function errorsPage(): string {
  const rows: Row[] = Object.entries(errorCodes);
  const index = rows.map(([name]) => `- [${code(name)}](#${name.toLowerCase()})`).join("\n");
  return page("packages/core/src/catalog/error-codes.ts", introduction, index, ...rows.map(section));
}

// Markdown renderers make the anchor `#hl_…` of such a heading.
function section([name, { when, fix }]: Row): string {
  return blocks(`## ${name}`, when, `**What to do:** ${fix}`);
}
