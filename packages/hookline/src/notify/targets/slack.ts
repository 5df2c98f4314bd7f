import { httpTarget } from "../http-target.js";
import { addressOption } from "../target-options.js";

/** An incoming webhook cannot edit, so there is one message for a question and no more. */
export const slack = httpTarget({
  type: "slack",
  what: "Posts to a channel through an incoming webhook.",
  options: { url: addressOption("The address of the incoming webhook, `https://hooks.slack.com/…`.") },
  request: ({ title, text, link }, { url }) => ({
    url: String(url),
    body: {
      text: [`*${escaped(title)}*`, escaped(text), ...(link === undefined ? [] : [`<${link}|Open the call>`])].join("\n"),
      unfurl_links: false,
      unfurl_media: false,
    },
  }),
});

/** Slack reads `<…>` as a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
