import { httpTarget } from "../http-target.js";
import { type Message, plainText } from "../message.js";
import type { TargetOptions } from "../target.js";
import { addressOption, secretOption, textOption } from "../target-options.js";

const MAX_TEXT = 4_000;

export const telegram = httpTarget({
  type: "telegram",
  what: "Sends a message from your bot, and edits it when the call is answered.",
  options: {
    token: secretOption("The token of the bot, from @BotFather.", { isRequired: true }),
    chat: textOption("The number of the chat, or `@channel`.", { isRequired: true }),
    api: addressOption("Another server of the Bot API.", { default: "`https://api.telegram.org`" }),
  },
  request: (message, options) => call("sendMessage", message, options),
  referenceIn: (answer) => {
    const id = Object(Object(answer).result).message_id;
    return Number.isSafeInteger(id) ? String(id) : undefined;
  },
  edit: (reference, message, options) => call("editMessageText", message, options, { message_id: Number(reference) }),
});

/** Without a `parse_mode`, Telegram shows the text as it is. */
function call(method: string, message: Message, { token, chat, api = "https://api.telegram.org" }: TargetOptions, more: object = {}) {
  const text = plainText(message, MAX_TEXT);
  return {
    url: `${String(api).replace(/\/$/, "")}/bot${token}/${method}`,
    body: { chat_id: chat, text, link_preview_options: { is_disabled: true }, ...more },
  };
}
