import type { IncomingMessage, ServerResponse } from "node:http";
import { HookError } from "@hookline/core";
import { z } from "zod";
import { findAgent } from "../../agents/agents.js";
import { isCanary } from "../../agents/attach/canary.js";
import { answerLimit } from "../../agents/client/client-data.js";
import { encodeReply, KEEPALIVE, KEEPALIVE_MS, NONCE, NONCE_HEADER, type Question, REPLY_TYPE } from "../../agents/client/reply-format.js";
import type { AgentDialect, HookReply } from "../../agents/shared/definition.js";
import type { AgentAnswer } from "../agents/agent-calls.js";
import type { AgentProcesses } from "../auth/agent-processes.js";
import { peerOf } from "../auth/peer.js";
import { canSeeProcesses } from "../auth/processes.js";
import { type Answer, JSON_TYPE } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import { signalled } from "./deadline.js";
import { route } from "./route.js";
import { anyObject } from "./schemas.js";

/** A person may take long. The agent's client waits 595 s, and must learn before that which guard has not answered. */
const MAX_MS = 590_000;

const flag = z.enum(["1"]).exactOptional();

export const agentHook = route({
  method: "POST",
  path: "/api/agents/:agent/:event",
  scope: "hook",
  access: "ask",
  summary: "Takes an event of an attached agent in the agent's own JSON, and answers in it",
  params: z.object({ agent: z.string().describe("The agent's id."), event: z.string().describe("The event, by the agent's name for it.") }),
  query: z.strictObject({
    strict: flag.describe("Has no effect. Scripts of older versions send it."),
    plain: flag.describe("The answer is the agent's JSON alone, for agents that post by themselves."),
  }),
  rawBody: { [JSON_MEDIA]: anyObject },
  answer: {
    description:
      "What the hook prints, its exit code, and a MAC over both and the nonce that the request's header `X-Hookline-Nonce` has. Blank lines come first while a person decides.",
    mediaType: REPLY_TYPE,
  },
  async handle({ parts, holder: { kind, seal, agent, isReplaced }, incoming, outgoing, params, query }) {
    const isPlain = query.plain !== undefined;
    const dialect = parts.agents.find(params.agent);
    if (dialect === undefined) throw new Refused(404, "HL_NOT_FOUND", "There is no such agent.", { fix: "hookline agents lists them." });
    // The key of an agent that posts by itself is in its settings, which other programs may have read.
    if (agent !== undefined && agent !== dialect.id) throw wrongKey("This key belongs to another agent.");
    if (seal === undefined && !isPlain) throw wrongKey("This key is for agents that post by themselves, with ?plain=1.");
    const question = questionOf(incoming, params);
    const encode = (reply: HookReply): Buffer => encodeReply(seal ?? "", reply, question);
    if (isReplaced === true)
      return refuseReplaced(
        parts.agents.denial({ dialect, native: params.event, payload: undefined }, REPLACED),
        isPlain ? undefined : encode,
      );
    const call = { dialect, native: params.event, ...(await parts.agents.read(incoming)) };
    const denied = (error: unknown): HookReply => {
      // The client is gone.
      if (outgoing.destroyed) throw error;
      return parts.agents.denial(call, error);
    };
    // While the client waits: its parents show which process the agent is.
    const seen =
      kind === "agent"
        ? seeAgent(
            parts.agentProcesses,
            { dialect, native: params.event, payload: call.payload, isPosting: isPlain || runsInProcess(dialect) },
            incoming,
          )
        : undefined;
    const timeout = parts.agents.timeoutOf(dialect.id, params.event);
    const limit = timeout === undefined ? MAX_MS : Math.min(MAX_MS, answerLimit(timeout));
    const answer = async <T>(say: (reply: HookReply) => T): Promise<T> => {
      const { reply, settle } = await signalled(limit, outgoing, (signal) => parts.agents.answer(call, signal)).catch(
        (error: unknown): AgentAnswer => ({ reply: denied(error), settle: () => {} }),
      );
      await seen;
      whenWritten(outgoing, settle);
      try {
        return say(reply);
      } catch (error) {
        settle(false);
        throw error;
      }
    };
    if (isPlain) return answer(plainly);
    // A reply that is too long for the client becomes a denial: the agent must not continue without it.
    return sealed(outgoing, () => answer(encode).catch((error: unknown) => encode(denied(error))));
  },
});

interface SeenCall {
  readonly dialect: AgentDialect;
  readonly native: string;
  readonly payload: unknown;
  readonly isPosting: boolean;
}

/** A plugin asks from the agent's own process. */
function runsInProcess({ id }: AgentDialect): boolean {
  return findAgent(id)?.install.plugin !== undefined;
}

/** Looks the agent's process up: at the first call of a session, and then from time to time. */
function seeAgent(
  processes: AgentProcesses,
  { dialect, native, payload, isPosting }: SeenCall,
  { socket }: IncomingMessage,
): Promise<void> | undefined {
  if (!canSeeProcesses) return undefined;
  const { session_id: id, sessionId = id } = Object(payload) as { readonly session_id?: unknown; readonly sessionId?: unknown };
  const session = typeof sessionId === "string" ? sessionId : "";
  const { id: agent } = dialect;
  // A command of Hookline's user sends the canary, and not the agent.
  if (processes.isFresh(agent, session) || isCanary(dialect.translate(native, payload).payload)) return undefined;
  return peerOf(socket).then((peer) => {
    const [client] = peer.kind === "local" ? peer.processes : [];
    if (client !== undefined) processes.see({ agent, session, client, isPosting });
  });
}

const REPLACED = new HookError(
  "HL_UNAUTHORIZED",
  "The agent uses a key that was replaced. It reads its settings again within seconds; if it does not, restart it.",
);

/** After a 401 the agent would run the call. Where it accepts a denial, it gets one. */
function refuseReplaced(denial: HookReply, encode: ((reply: HookReply) => Buffer) | undefined): Answer {
  if (denial.stdout + denial.stderr === "") throw new Refused(401, "HL_UNAUTHORIZED", REPLACED.message);
  return encode === undefined ? plainly(denial) : { status: 200, type: REPLY_TYPE, text: encode(denial) };
}

/** Undefined for a client of an older version, which sends no nonce. */
function questionOf({ headers }: IncomingMessage, { agent, event: native }: { agent: string; event: string }): Question | undefined {
  const nonce = headers[NONCE_HEADER];
  if (nonce === undefined) return undefined;
  if (typeof nonce === "string" && NONCE.test(nonce)) return { nonce, agent, native };
  throw new Refused(400, "HL_BAD_REQUEST", "The nonce is not 32 to 128 hexadecimal digits.");
}

function wrongKey(message: string): Refused {
  return new Refused(403, "HL_SCOPE", message, { fix: "Attach the agent again: hookline attach <agent>" });
}

/** For an agent's own HTTP hook, which has no exit code: the denial is in the document. A denial by exit code alone must not get lost. */
function plainly({ stdout, stderr, exitCode }: HookReply): Answer {
  if (stdout !== "" || exitCode === 0) return { status: stdout === "" ? 204 : 200, type: JSON_TYPE, text: stdout };
  throw new Refused(500, "HL_HUB_FAILED", stderr === "" ? "The agent's HTTP hook cannot express this answer." : stderr);
}

/** Reports whether the answer was written completely. Whether the agent has read it is unknown. */
function whenWritten(outgoing: ServerResponse, settle: AgentAnswer["settle"]): void {
  if (outgoing.destroyed) return settle(false);
  let isWritten = false;
  outgoing.once("finish", () => {
    isWritten = true;
  });
  outgoing.once("close", () => settle(isWritten));
}

/** Sends blank lines while a person decides, so the client notices a hub that hangs. */
async function sealed(outgoing: ServerResponse, answer: () => Promise<Buffer>): Promise<Answer> {
  outgoing.writeHead(200, { "Content-Type": REPLY_TYPE });
  const alive = setInterval(() => outgoing.write(KEEPALIVE), KEEPALIVE_MS);
  try {
    outgoing.end(await answer());
  } catch {
    // The client treats half an answer like a missing one.
    outgoing.destroy();
  } finally {
    clearInterval(alive);
  }
  return "sent";
}
