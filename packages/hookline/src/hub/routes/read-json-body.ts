import { readBody, readObject, readText } from "../http/request-body.js";
import type { Call } from "./route.js";

/** The object that a request's body is. Throws 400 or 413. */
export async function readJsonBody({ incoming }: Pick<Call, "incoming">, maxBytes = 16_384): Promise<{ readonly [key: string]: unknown }> {
  return readObject(readText(await readBody(incoming, maxBytes)), "The body");
}
