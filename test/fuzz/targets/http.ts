import { routes } from "../../../packages/hookline/dist/hub/routes/table.js";
import { exchange } from "../../faults/raw.ts";
import { inHub, wrongAnswer } from "../hub-subject.ts";
import type { FuzzTarget } from "../target.ts";

/** These end the hub, or hand it over. A mutation that finds one of them is not sent. */
const ENDING = /\/api\/(stop|handover)/;

/** Good bodies of routes that need one. */
const BODIES: { readonly [path: string]: string } = {
  "/api/decide": '{"event":"tool:before","payload":{"tool":{"name":"Bash","input":{"command":"ls"}}},"timeoutMs":500}',
  "/api/transform": '{"event":"tool:result","value":"text","payload":{}}',
  "/api/hooks/ingest": '{"event_type":"agent:start","context":{"session_id":"s1"},"src":"my-agent"}',
  "/api/approvals/:id": '{"verdict":"allow","hash":"h","by":"me"}',
};

/** Whole requests to every route, with the token of an operator. `%TOKEN%` and `%HOST%` stand for what only a running hub knows. */
export const http: FuzzTarget = {
  name: "http",
  samples: routes.filter(({ path }) => !ENDING.test(path)).map(({ method, path }) => requestOf(method.toUpperCase(), path)),
  words: [
    ...[
      "GET ",
      "POST ",
      "DELETE ",
      "HEAD ",
      "OPTIONS ",
      "%2e%2e/",
      "..%2f",
      "?limit=",
      "&cursor=-1",
      "?q=",
      "&since=",
      "Host: evil.test\r\n",
      "Origin: null\r\n",
    ],
    ...[
      "Transfer-Encoding: chunked\r\n",
      "Content-Length: 0\r\n",
      "Expect: 100-continue\r\n",
      "Upgrade: websocket\r\n",
      "Range: bytes=0-\r\n",
      "Cookie: a=b\r\n",
    ],
    ...[
      "Content-Encoding: gzip\r\n",
      "If-None-Match: *\r\n",
      "Last-Event-ID: -1\r\n",
      "Accept: text/event-stream\r\n",
      "HTTP/1.0",
      "HTTP/2.0",
      "?session=",
      "&event=tool:*",
    ],
  ],
  open: () =>
    inHub((crew) => {
      const { host, port } = new URL(crew.hubFile().url);
      return async (input) => {
        const text = input.toString("latin1").replaceAll("%TOKEN%", crew.operatorToken()).replaceAll("%HOST%", host);
        if (ENDING.test(decoded(text))) return undefined;
        return wrongAnswer(
          await exchange({ host: "127.0.0.1", port: Number(port) }, [Buffer.from(text, "latin1")], { timeoutMs: 3_000, end: true }),
        );
      };
    }),
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function requestOf(method: string, path: string): string {
  const body = method === "GET" ? "" : (BODIES[path] ?? "{}");
  const length = method === "GET" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path.replaceAll(/:\w+\{?[^/]*\}?/g, "x1")} HTTP/1.1\r\nHost: %HOST%\r\nAuthorization: Bearer %TOKEN%\r\nConnection: close\r\n${length}\r\n${body}`;
}
