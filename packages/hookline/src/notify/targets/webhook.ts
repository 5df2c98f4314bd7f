import { httpTarget } from "../http-target.js";
import { addressOption, textOption } from "../target-options.js";
import { compileTemplate, templateFormat } from "../template.js";

const DEFAULT_BODY = '{"title":"{title}","text":"{text}","link":"{link}"}';

export const webhook = httpTarget({
  type: "webhook",
  what: "Posts a body of your own to a URL.",
  options: {
    url: addressOption("The address. https; plain http only to this machine."),
    body: textOption("The template of the body; its fields are in braces, such as `{tool.input.command}`.", {
      default: "JSON with `title`, `text` and `link`",
    }),
    contentType: textOption("The type of the body. Fields are escaped in JSON, and in a form (`application/x-www-form-urlencoded`).", {
      default: "`application/json`",
    }),
    headers: { kind: "headers", accepts: () => true, wants: "headers", isSecret: true, what: "More headers.", default: "none" },
  },
  request(message, { url, body = DEFAULT_BODY, contentType = "application/json", headers = {} }) {
    const fill = compileTemplate(String(body), templateFormat(String(contentType)));
    return {
      url: String(url),
      headers: { ...(headers as { [name: string]: string }), "content-type": String(contentType) },
      body: fill(message),
    };
  },
});
