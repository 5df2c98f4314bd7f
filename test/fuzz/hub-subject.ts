import { Crew } from "../faults/processes.ts";
import { cpuMsOf } from "../faults/system.ts";
import type { Subject } from "./target.ts";

/** For readers that are a hub: a process of its own, in folders of its own. */
export async function inHub(feedOf: (crew: Crew) => Subject["feed"]): Promise<Subject> {
  const crew = new Crew();
  const hub = await crew.startHub();
  const feed = feedOf(crew);
  return {
    async feed(input) {
      const wrong = await feed(input);
      if (!hub.isRunning) throw new Error(`The hub ended: ${hub.stderr.slice(-2_000)}`);
      return wrong;
    },
    cpuMs: () => cpuMsOf(hub.pid),
    usedBytes: () => hub.ask<number>("memory"),
    close: () => crew[Symbol.asyncDispose](),
  };
}

/** What is wrong with an answer over HTTP: a 5xx, or an error of ours without a code and a message. */
export function wrongAnswer(answer: string): string | undefined {
  const [, status = "", headers = "", body = ""] = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(answer) ?? [];
  if (status.startsWith("5")) return `${status}: ${body.slice(0, 300)}`;
  if (!status.startsWith("4") || !/^content-type: application\/json/im.test(headers)) return undefined;
  const isTyped = /"code":"HL_[A-Z_]+"/.test(body) && /"message":"[^"]/.test(body);
  return isTyped || /^transfer-encoding/im.test(headers) ? undefined : `an error without a code: ${status} ${body.slice(0, 300)}`;
}
