import { compilePath, type Reader, toText } from "@hookline/core/internal";
import type { Message } from "./message.js";

const FIELD = /\{([A-Za-z_][\w.-]*)\}/g;

/** Fields of the message itself. Any other field is a path in the event's payload. */
const OWN: { readonly [field: string]: (message: Message) => unknown } = {
  title: ({ title }) => title,
  text: ({ text }) => text,
  link: ({ link }) => link,
  event: ({ about }) => about?.event,
  app: ({ about }) => about?.source.app,
};

/**
 * Compiles a text with fields such as `{tool.input.command}`. A field that an event does not have becomes empty. In JSON, values are escaped,
 * so a call cannot add fields to the body; in a form, too. Values are not templates themselves. Throws `HL_BAD_MATCH` for a path that is malformed.
 */
export function compileTemplate(template: string, format: keyof typeof ESCAPES): (message: Message) => string {
  const readers = new Map([...template.matchAll(FIELD)].map(([, field = ""]) => [field, readerOf(field)] as const));
  return (message) => template.replace(FIELD, (_, field: string) => ESCAPES[format](textOf(readers.get(field)?.(message))));
}

/** The format of a body of this type. */
export function templateFormat(contentType: string): keyof typeof ESCAPES {
  if (/json\b/i.test(contentType)) return "json";
  return /\bx-www-form-urlencoded\b/i.test(contentType) ? "form" : "text";
}

const ESCAPES = {
  json: (value: string) => JSON.stringify(value).slice(1, -1),
  form: (value: string) => new URLSearchParams([["", value]]).toString().slice(1),
  text: (value: string) => value,
} as const;

function readerOf(field: string): (message: Message) => unknown {
  const own = Object.hasOwn(OWN, field) ? OWN[field] : undefined;
  if (own !== undefined) return own;
  const read: Reader = compilePath(field);
  return ({ about }) => read({ session: about?.session, ...Object(about?.payload) });
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : toText(value);
}
