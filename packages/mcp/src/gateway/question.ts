import { type Fields, fieldsOf } from "../protocol/message.js";

/** What a server may ask of a client, with the capability that the client must have and the event that records it. */
const QUESTIONS: { readonly [method: string]: { readonly capability: string; readonly event?: `mcp:${string}` } } = {
  "sampling/createMessage": { capability: "sampling", event: "mcp:sampling" },
  "elicitation/create": { capability: "elicitation", event: "mcp:elicitation" },
  "roots/list": { capability: "roots" },
};

/** What a server asks of a client, as either era writes it. */
export interface Question {
  readonly method: string;
  readonly params: unknown;
}

export function questionEvent(method: string): `mcp:${string}` | undefined {
  return Object.hasOwn(QUESTIONS, method) ? QUESTIONS[method]?.event : undefined;
}

/** Why this client cannot be asked this; `undefined` if it can. */
export function questionFault({ method }: Question, capabilities: Fields): string | undefined {
  const { capability } = (Object.hasOwn(QUESTIONS, method) ? QUESTIONS[method] : undefined) ?? {};
  if (capability === undefined) return `"${method}" is nothing that a server may ask`;
  return capabilities[capability] === undefined ? `the client does not have "${capability}"` : undefined;
}

/** As the legacy era writes it: the address that a person opens has an id of its own there. */
export function legacyQuestion({ method, params }: Question, id: string): Fields {
  const given = fieldsOf(params);
  return { method, params: method === "elicitation/create" && given.mode === "url" ? { elicitationId: id, ...given } : given };
}

/** As the modern era writes it. */
export function modernQuestion({ method, params }: Question): Fields {
  const { elicitationId: _, ...given } = fieldsOf(params);
  return { method, params: given };
}
