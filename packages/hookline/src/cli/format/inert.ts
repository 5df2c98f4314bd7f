export { inertLines, inertText as inert } from "@hookline/core";

const ACTIVE_IN_JSON = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** JSON that says the same and can be shown on a terminal. */
export function inertJson(json: string): string {
  return json.replace(ACTIVE_IN_JSON, (found) =>
    Array.from({ length: found.length }, (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, "0")}`).join(""),
  );
}
