import { type Era, META, withoutMeta } from "../protocol/era.js";
import { CODE, type Fields, fieldsOf, type Message } from "../protocol/message.js";
import { withoutLookAlikes } from "./look-alikes.js";

/** Results that a client of the modern era may keep, by the method. */
const KEPT = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];
const FIELDS = ["resultType", "inputRequests", "requestState", "ttlMs", "cacheScope"];

/** Codes of the legacy era that the modern one does not have. */
const NOT_FOUND = -32002;
const URL_ELICITATION = -32042;

/** A server's result without what only one era has. What is left of `resultType` says that it is not the answer yet. */
export function neutralResult(server: Era, said: Fields): Fields {
  const { resultType, ttlMs: _, cacheScope: __, ...result } = withoutLookAlikes(said, FIELDS);
  if (server === "legacy" || resultType === "complete" || resultType === undefined) return result;
  if (resultType !== "input_required") return { ...result, resultType };
  // A client of the legacy era would take anything else in it for the answer.
  const { inputRequests, requestState, _meta } = result;
  return {
    resultType,
    ...(inputRequests !== undefined && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** The result as a client of this era must get it. Nothing may be kept: each call goes through the rules. */
export function resultFor(client: Era, method: string, result: Fields, serverInfo: Fields): Fields {
  if (client === "legacy") return legacyResult(method, withoutMeta(result, [META.serverInfo]));
  const kept = KEPT.includes(method) ? { ttlMs: 0, cacheScope: "private" } : {};
  return { resultType: "complete", ...result, ...kept, _meta: { [META.serverInfo]: serverInfo, ...fieldsOf(result._meta) } };
}

/** An error as a client of this era must get it. */
export function errorFor(client: Era, answer: Message): Message {
  const error = fieldsOf(answer.error);
  if (client === "legacy" || answer.error === undefined) return answer;
  if (error.code === NOT_FOUND) return { ...answer, error: { ...error, code: CODE.params } };
  if (error.code !== URL_ELICITATION) return answer;
  const message = `Hookline: the server wants a person to open an address, and says so as only revisions before 2026-07-28 can: ${String(error.message)}`;
  return { ...answer, error: { code: CODE.internal, message, ...(error.data !== undefined && { data: error.data }) } };
}

/** The legacy era has structured output in objects only. Everything is said in another place. */
function legacyResult(method: string, result: Fields): Fields {
  if (method === "tools/list" && Array.isArray(result.tools))
    return { ...result, tools: result.tools.map((tool) => legacyTool(fieldsOf(tool))) };
  const { structuredContent, ...rest } = result;
  if (method !== "tools/call" || structuredContent === undefined || fieldsOf(structuredContent) === structuredContent) return result;
  const content = Array.isArray(rest.content) ? rest.content : [];
  return { ...rest, content: [...content, { type: "text", text: JSON.stringify(structuredContent) }] };
}

function legacyTool(tool: Fields): Fields {
  const { outputSchema, ...rest } = tool;
  return outputSchema === undefined || fieldsOf(outputSchema).type === "object" ? tool : rest;
}
