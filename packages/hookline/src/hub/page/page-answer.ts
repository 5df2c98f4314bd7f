import type { TextAnswer } from "../http/answer.js";

/** What a page of the hub's may do: run and show its own files, and talk to its own hub. Nothing from events can become markup or script. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": PAGE_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

const HTML_TYPE = "text/html; charset=utf-8";
export const SCRIPT_TYPE = "text/javascript; charset=utf-8";

export function pageAnswer(text: string | Uint8Array, type: string = HTML_TYPE): TextAnswer {
  return { status: 200, type, text, headers: HEADERS };
}
