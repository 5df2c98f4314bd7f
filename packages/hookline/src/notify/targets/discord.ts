import { httpTarget } from "../http-target.js";
import { plainText } from "../message.js";
import { addressOption } from "../target-options.js";

const MAX_CONTENT = 2_000;
/** The flag that keeps Discord from opening links for a preview. */
const SUPPRESS_EMBEDS = 4;

export const discord = httpTarget({
  type: "discord",
  what: "Posts to a channel through a webhook, and edits the message when the call is answered.",
  options: { url: addressOption("The address of the channel's webhook, `https://discord.com/api/webhooks/…`.") },
  request: (message, { url }) => ({
    url: `${url}?wait=true`,
    body: { content: contentOf(plainText(message)), allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS },
  }),
  referenceIn: (answer) => numberIn(Object(answer).id),
  edit: (reference, message, { url }) => ({
    method: "PATCH",
    url: `${url}/messages/${reference}`,
    body: { content: contentOf(plainText(message)), allowed_mentions: { parse: [] } },
  }),
});

/** Text from an agent must not become a heading, a link with another name, or a mention. */
function contentOf(text: string): string {
  const plain = text.replace(/[*_~`|>#[\]()\\]/g, "\\$&");
  // A link keeps its characters, or it would lead elsewhere.
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const shown = last.startsWith("https://") ? `${plain.slice(0, plain.lastIndexOf("\n") + 1)}<${last}>` : plain;
  return shown.length <= MAX_CONTENT ? shown : `${shown.slice(0, MAX_CONTENT - 1)}…`;
}

/** It becomes a part of an address. */
function numberIn(id: unknown): string | undefined {
  return /^\d{1,24}$/.test(String(id)) ? String(id) : undefined;
}
