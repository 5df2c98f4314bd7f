import { OPERATION } from "../names/gen-ai.js";
import { agentAttributes, commonAttributes } from "./attributes.js";
import { guardrailSpans } from "./guardrail-spans.js";
import { fail, type Step } from "./step.js";

/** A prompt, the start of a loop or of a turn. Agents report one turn in one of these ways or in several. */
export const startTurn: Step = ({ session, envelope, told, atMs, options }) => {
  const isPrompt = envelope.event === "prompt:submit";
  const isNext = isPrompt && session.hasPrompt;
  const before = isNext ? session.endTurn(atMs, "next_turn") : [];
  const given = { ...commonAttributes(envelope, told), ...agentAttributes(told, options.content) };
  if (session.turn === undefined) {
    const name = `${OPERATION.agent} ${told.agentName ?? envelope.source.app}`;
    session.turn = session.make({ kind: "turn", key: envelope.id, name, atMs, attributes: given }, envelope.source);
    session.endsWithAnswer = isPrompt;
    session.hasPrompt = isPrompt;
  } else {
    session.turn.attributes = { ...given, ...session.turn.attributes };
    session.endsWithAnswer &&= isPrompt;
    session.hasPrompt ||= isPrompt;
  }
  return [...before, ...guardrailSpans(envelope, session.turn, options.guardrails)];
};

export const endTurn: Step = ({ session, told, atMs, options }) => {
  if (session.turn !== undefined) {
    session.turn.attributes = { ...session.turn.attributes, ...agentAttributes(told, options.content) };
    if (told.error !== undefined) fail(session.turn, told.error, told.reason ?? "_OTHER");
  }
  return session.endTurn(atMs);
};

/** The agent is about to give its answer. It may be told to go on instead. */
export const finish: Step = (occurrence) => {
  const { session, envelope, options } = occurrence;
  const guards = guardrailSpans(envelope, session.current, options.guardrails);
  const goesOn = envelope.decision?.trail?.some(({ action }) => action === "again") === true;
  return session.endsWithAnswer && !goesOn ? [...guards, ...endTurn(occurrence)] : guards;
};
