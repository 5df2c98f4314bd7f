const FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch names, each once. */
export function patchPaths(patch: unknown): string[] {
  if (typeof patch !== "string") return [];
  return [...new Set([...patch.matchAll(FILE)].map(([, path]) => (path ?? "").trim()))];
}
