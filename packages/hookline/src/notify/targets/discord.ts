import { httpTarget } from "../http-target.js";
import { type Message, plainText } from "../message.js";
import { addressOption } from "../target-options.js";

const MAX_CONTENT = 2_000;
/** The flag that keeps Discord from opening links for a preview. */
const SUPPRESS_EMBEDS = 4;

export const discord = httpTarget({
  type: "discord",
  what: "Posts to a channel through a webhook, and edits the message when the call is answered.",
  options: { url: addressOption("The address of the channel's webhook, `https://discord.com/api/webhooks/…`.") },
  request: (message, { url }) => ({
    url: addressOf(url, "", { wait: "true" }),
    body: { content: contentOf(message), allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS },
  }),
  referenceIn: (answer) => numberIn(Object(answer).id),
  edit: (reference, message, { url }) => ({
    method: "PATCH",
    url: addressOf(url, `/messages/${reference}`),
    body: { content: contentOf(message), allowed_mentions: { parse: [] } },
  }),
});

/** The address of a thread has a query, `?thread_id=…`, which stays. */
function addressOf(webhook: unknown, path: string, query: { readonly [name: string]: string } = {}): string {
  const url = new URL(String(webhook));
  url.pathname += path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Text from an agent must not become a heading, a link with another name, or a mention. The link keeps its characters, or it would lead elsewhere. */
function contentOf({ title, text, link }: Message): string {
  const told = plainText({ title, text, isUrgent: false }).replace(/[*_~`|<>#[\]()\\]/g, "\\$&");
  return plainText({ title: "", text: told, isUrgent: false, ...(link !== undefined && { link: `<${link}>` }) }, MAX_CONTENT);
}

/** It becomes a part of an address. */
function numberIn(id: unknown): string | undefined {
  return /^\d{1,24}$/.test(String(id)) ? String(id) : undefined;
}
