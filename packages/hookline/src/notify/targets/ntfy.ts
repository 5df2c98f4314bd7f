import { httpTarget } from "../http-target.js";
import { shortened } from "../message.js";
import { addressOption, secretOption } from "../target-options.js";

const [HIGH, USUAL] = [4, 3];
/** The server makes a file of a longer one. */
const MAX_TEXT = 3_000;

export const ntfy = httpTarget({
  type: "ntfy",
  what: "Publishes to a topic of ntfy.sh or of your own server.",
  options: {
    url: addressOption("The address of the topic, such as `https://ntfy.sh/my-topic`. Everyone who knows it can read along."),
    token: secretOption("An access token.", { default: "none" }),
  },
  request({ title, text, link, isUrgent }, { url, token }) {
    // In the form with a JSON body, the topic is a field: a title in a header may have ASCII only.
    const { origin, pathname } = new URL(String(url));
    const [topic = "", ...parents] = pathname.replace(/\/+$/, "").split("/").reverse();
    return {
      url: `${origin}${parents.reverse().join("/")}/`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: {
        topic,
        title,
        message: shortened(text, MAX_TEXT),
        priority: isUrgent ? HIGH : USUAL,
        ...(link !== undefined && { click: link }),
      },
    };
  },
});
