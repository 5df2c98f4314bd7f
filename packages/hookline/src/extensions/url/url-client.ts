import { Agent as HttpAgent, request as requestPlain } from "node:http";
import { Agent as HttpsAgent, request as requestSecure } from "node:https";
import { exchange } from "./exchange.js";
import { lost } from "./url-errors.js";
import type { UrlHeaders } from "./url-spec.js";
import type { UrlTarget } from "./url-target.js";

interface Question {
  readonly headers: UrlHeaders;
  readonly body: Buffer;
}

export interface UrlClient {
  /** The text of the answer. Rejects with a HookError, or with the signal's reason. */
  post(question: Question, signal: AbortSignal): Promise<string>;
  /** Ends every connection. */
  destroy(): void;
}

/** An idle connection is let go after this; Node keeps no process alive for one. */
const IDLE_MS = 60_000;

/** Posts to one address over connections that are kept, so that a question costs one round trip. */
export function createUrlClient({ url, lookup }: UrlTarget): UrlClient {
  const isSecure = url.protocol === "https:";
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);

  function attempt(by: typeof agent | false, { headers, body }: Question, signal: AbortSignal): Promise<string | undefined> {
    const all = { accept: "application/json", "user-agent": "hookline", ...headers, ...framing(body) };
    const options = { method: "POST", agent: by, lookup, headers: all };
    return exchange(isSecure ? requestSecure(url, options) : requestPlain(url, options), body, signal);
  }

  return {
    async post(question, signal) {
      // A server may close a kept connection while the question is on its way. That it was read and lost all the same cannot be ruled
      // out, but asking again does no harm: an answer of which no byte was heard has decided nothing, and it is the same event with the
      // same id. Once, and outside the pool, where another dead connection may wait: a server that dies over a question is not asked for ever.
      const answer = (await attempt(agent, question, signal)) ?? (await attempt(false, question, signal));
      if (answer === undefined) throw lost("it was closed");
      return answer;
    },
    destroy: () => agent.destroy(),
  };
}

function framing(body: Buffer): UrlHeaders {
  return { "content-type": "application/json", "content-length": String(body.length), "accept-encoding": "identity" };
}
