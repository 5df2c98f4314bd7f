import type { AgentId } from "../shared/definition.js";
import type { JsonSyntax } from "./json-document.js";

const plain: JsonSyntax = { comments: false, trailingCommas: false, byteOrderMark: false };

/**
 * What each agent's reader takes, as tried on Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0 and Copilot CLI 1.0.102. All but Gemini,
 * which does not start, pass over a file with anything else without a word: none of its hooks runs.
 */
export const agentSyntax: { readonly [agent in AgentId]: JsonSyntax } = {
  "claude-code": { ...plain, byteOrderMark: true },
  codex: plain,
  gemini: { ...plain, comments: true },
  copilot: plain,
};
