import type { ServerResponse } from "node:http";
import { HookError } from "@hookline/core";
import { encodeReply, KEEPALIVE, KEEPALIVE_MS, REPLY_TYPE } from "../../agents/client/reply-format.js";
import type { HookReply } from "../../agents/shared/definition.js";
import type { AgentAnswer } from "../agents/agent-desk.js";
import { readCall } from "../agents/read-call.js";
import { type Answer, JSON_TYPE } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import { signalled } from "./deadline.js";
import type { Route } from "./route.js";

/** A person may take his time. The agent's script waits 595 s, and is to hear before that which guard has not answered. */
const MAX_MS = 590_000;

export const agentHook: Route = {
  method: "POST",
  path: "/api/agents/:agent/:event",
  scope: "hook",
  summary: "An event of an attached agent, in its own words; the answer is in its own words, too",
  query: {
    strict: { description: "Has no effect; scripts of older versions send it.", schema: { enum: ["1"] } },
    plain: { description: "1: the answer is the agent's JSON and nothing else, for agents that ask by HTTP.", schema: { enum: ["1"] } },
  },
  body: { [JSON_MEDIA]: { type: "object" } },
  response: {
    description:
      "What its hook says: stdout, stderr and exit code, under the seal. Blank lines come first while a person decides. Content that the hub cannot judge is denied in the same way.",
    mediaType: REPLY_TYPE,
    schema: { type: "string" },
  },
  async handle({ parts, holder: { seal, agent, isReplaced }, incoming, outgoing, param, query }) {
    const dialect = parts.agents.find(param("agent"));
    if (dialect === undefined) throw new Refused(404, "HL_NOT_FOUND", "There is no such agent.", { fix: "hookline agents lists them." });
    // Whoever posts by itself may be anybody who has read its settings.
    if (agent !== undefined && agent !== dialect.id) throw otherwise("This key speaks for another agent.");
    if (seal === undefined && !query.has("plain")) throw otherwise("This key is for agents that post by themselves: with ?plain=1.");
    if (isReplaced === true) {
      const denial = parts.agents.denial({ dialect, native: param("event"), payload: undefined }, REPLACED);
      return refuseReplaced(denial, query.has("plain") ? undefined : seal);
    }
    const call = { dialect, native: param("event"), ...(await readCall(incoming)) };
    const denied = (error: unknown): HookReply => {
      // Nobody is there to be told.
      if (outgoing.destroyed) throw error;
      return parts.agents.denial(call, error);
    };
    const answer = async <T>(say: (reply: HookReply) => T): Promise<T> => {
      const { reply, settle } = await signalled(MAX_MS, outgoing, (signal) => parts.agents.answer(call, signal)).catch(
        (error: unknown): AgentAnswer => ({ reply: denied(error), settle: () => {} }),
      );
      whenWritten(outgoing, settle);
      try {
        return say(reply);
      } catch (error) {
        settle(false);
        throw error;
      }
    };
    if (query.has("plain")) return answer(plainly);
    const encode = (reply: HookReply): Buffer => encodeReply(seal ?? "", reply);
    // What the client does not take, because it is too long, it must not go on without.
    return sealed(outgoing, () => answer(encode).catch((error: unknown) => encode(denied(error))));
  },
};

const REPLACED = new HookError(
  "HL_UNAUTHORIZED",
  "The agent asks with a key that was replaced. It reads its settings again within seconds; if it does not, start it again.",
);

/** To a status of 401 the agent would go on. Where it takes a "no", it gets one. */
function refuseReplaced(denial: HookReply, seal: string | undefined): Answer {
  if (denial.stdout + denial.stderr === "") throw new Refused(401, "HL_UNAUTHORIZED", REPLACED.message);
  return seal === undefined ? plainly(denial) : { status: 200, type: REPLY_TYPE, text: encodeReply(seal, denial) };
}

function otherwise(message: string): Refused {
  return new Refused(403, "HL_SCOPE", message, { fix: "Attach the agent again: hookline attach <agent>" });
}

/** For an agent's own HTTP hook, which knows no exit code: a deny is in the document. One that is said by exit code alone must not get lost. */
function plainly({ stdout, stderr, exitCode }: HookReply): Answer {
  if (stdout !== "" || exitCode === 0) return { status: stdout === "" ? 204 : 200, type: JSON_TYPE, text: stdout };
  throw new Refused(500, "HL_HUB_FAILED", stderr === "" ? "This cannot be said by HTTP." : stderr);
}

/** Says whether an answer was written to its end. Whether the agent has read it nobody knows. */
function whenWritten(outgoing: ServerResponse, settle: AgentAnswer["settle"]): void {
  if (outgoing.destroyed) return settle(false);
  let isWritten = false;
  outgoing.once("finish", () => {
    isWritten = true;
  });
  outgoing.once("close", () => settle(isWritten));
}

/** Written as it comes: the client hears from us while a person decides, and knows a hub that is frozen by its silence. */
async function sealed(outgoing: ServerResponse, answer: () => Promise<Buffer>): Promise<Answer> {
  outgoing.writeHead(200, { "Content-Type": REPLY_TYPE });
  const alive = setInterval(() => outgoing.write(KEEPALIVE), KEEPALIVE_MS);
  try {
    outgoing.end(await answer());
  } catch {
    // Half an answer is none: the client does what it was told to do without one.
    outgoing.destroy();
  } finally {
    clearInterval(alive);
  }
  return "sent";
}
