import type { Socket } from "node:net";
import { Judge } from "../judge.ts";
import { Crew, until } from "../processes.ts";
import { dial, exchange, statusesIn, type Where } from "../raw.ts";
import type { Scenario } from "../scenario.ts";

/** The limit of descriptors, and how many connections are opened on each socket. */
const SIZES = { short: { limit: 512, each: 250 }, full: { limit: 2_048, each: 1_000 } };
const ROUNDS = 10;
const ANSWER_MS = 3_000;

/**
 * More silent connections than the hub may have descriptors, on every socket, again and again: a call is denied all the while by a rule and
 * by a guard that is a new process each time, a forwarder gets onto the line, and every connection that was let go was silent.
 */
export const crowd: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const { limit, each } = SIZES[size];
  crew.configure(
    '[[rule]]\nname = "no-rm"\nevent = "tool:before"\nmatch = "tool.name == \'rule\'"\ndo = "block"\nmessage = "no"\n' +
      '[[hook]]\nname = "spawned"\nevent = "tool:before"\nmatch = "tool.name == \'hook\'"\ncommand = "/bin/sh"\nargs = ["-c", "echo said no >&2; exit 2"]\n',
  );
  const hub = await crew.startHub({}, ["/bin/sh", "-c", `ulimit -n ${limit} && exec "$@"`, "sh"]);
  const { url, token, line } = crew.hubFile();
  const http: Where = { path: crew.socket("http") };
  const places: readonly Where[] = [http, { path: line }, { host: "127.0.0.1", port: Number(new URL(url).port) }];
  const open: Socket[] = [];
  let [opened, ended] = [0, 0];
  const askFor = async (tool: string): Promise<string> => {
    const body = JSON.stringify({ event: "tool:before", payload: { tool: { name: tool, input: {} } } });
    const head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close`;
    const request = `POST /api/decide HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    return exchange(http, [request], { timeoutMs: ANSWER_MS });
  };
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const place of places)
      for (let index = 0; index < each; index += ROUNDS) {
        const socket = dial(place).resume();
        open.push(socket);
        socket.on("connect", () => opened++).on("close", () => ended++);
      }
    for (const [tool, reason] of [
      ["rule", '"reason":"no"'],
      ["hook", "said no"],
    ] as const) {
      const answer = await askFor(tool);
      const isDenied = statusesIn(answer)[0] === 200 && answer.includes('"verdict":"deny"') && answer.includes(reason);
      if (!isDenied) wrong.push(`round ${round}, ${tool}: ${answer.slice(-300) || "no answer"}`);
    }
  }
  judge.look("I7", ROUNDS * 2, wrong);
  const caller = await crew.startCaller({ first: "rm x" });
  judge.expect("own", caller.member.isRunning && caller.verdict !== "", `a forwarder was answered with "${caller.verdict}"`);
  judge.happened(opened > limit, `more than ${limit} connections stood, in all`);
  judge.expect("own", hub.isRunning, "the hub died");
  judge.expect("own", !/EMFILE|too many open files/.test(hub.stderr), "the hub was short of descriptors");
  judge.note(`${opened} opened, ${ended} let go`);
  for (const socket of open) socket.destroy();
  await until("the hub answers when they are gone", async () => statusesIn(await askFor("rule"))[0] === 200);
  return judge.verdict("a crowd of silent connections", seed);
};
