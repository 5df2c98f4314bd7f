/**
 * What a request or a command does to the guards. `read` shows. `ask` reports events or asks the guards, as agents do. `operate` acts as
 * the operator: it answers, steers, or changes what is guarded, so an agent must not be able to do it.
 */
export type Access = "read" | "ask" | "operate";

/** What does not say what it does counts as operating. */
export function accessOf({ access }: { readonly access?: Access | undefined }): Access {
  return access ?? "operate";
}
