let loading: Promise<typeof import("./make-whole.js")> | undefined;

/** What reads streams and looks into values. It is loaded when a transform gets its first closed handler, or a tool returns its first stream. */
export function loadWhole(): Promise<typeof import("./make-whole.js")> {
  loading ??= import("./make-whole.js");
  return loading;
}
