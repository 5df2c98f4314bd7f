import type { SinkOption } from "@hookline/core/internal/sinks";

const accepts = (): boolean => true;

/** The address that messages go to. It may hold a token, so it is never shown. */
export function addressOption(what: string, more: Partial<SinkOption> = { isRequired: true }): SinkOption {
  return { kind: "address", accepts, wants: "an http or https address", isSecret: true, what, ...more };
}

export function secretOption(what: string, more: Partial<SinkOption> = {}): SinkOption {
  return { kind: "secret", accepts, wants: "a secret", isSecret: true, what, ...more };
}

export function textOption(what: string, more: Partial<SinkOption> = {}): SinkOption {
  return { kind: "text", accepts, wants: "text", what, ...more };
}
