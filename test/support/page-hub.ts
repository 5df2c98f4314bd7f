import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CliHome, createCliHome } from "./cli-home.ts";

/** A hub as a user runs it, with the page it serves. */
export interface PageHub {
  readonly home: CliHome;
  /** Where the page is, for browsers: no other program finds its name. */
  readonly url: string;
  /** The same for everybody. */
  readonly address: string;
  /** Asks as the operator: GET, or POST when there is a body. */
  ask<T = unknown>(path: string, body?: object | string): Promise<T>;
  /** The same for what is no JSON. */
  text(path: string): Promise<string>;
  /** A link that opens the page, good once. */
  link(scopes?: readonly string[]): Promise<string>;
  stop(): Promise<void>;
  /** After `stop`: at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startPageHub(config: string): Promise<PageHub> {
  const home = createCliHome();
  home.write("config/hookline/hookline.toml", config);
  const up = async (port: string): Promise<string> => {
    const { code, err } = await home.run("up", "--detach", "--port", port);
    if (code !== 0) throw new Error(`The hub did not start: ${err}`);
    return (readState("hub.json") as { readonly url: string }).url;
  };
  const readState = (name: string): unknown => JSON.parse(readFileSync(join(home.state, name), "utf8"));
  const address = await up("0");

  const send = (path: string, body?: object | string): Promise<Response> => {
    const { token } = readState("operator.json") as { readonly token: string };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    // A connection each: one that was kept, in a process busy with a browser, may be closed by the hub as it is used again.
    return fetch(address + path, {
      headers: { authorization: `Bearer ${token}`, "content-type": type, connection: "close" },
      ...(body !== undefined && { method: "POST", body: text }),
    });
  };
  const ask = async <T>(path: string, body?: object | string): Promise<T> => (await (await send(path, body)).json()) as T;
  const link = async (scopes: readonly string[] = ["read", "approve"]): Promise<string> =>
    (await ask<{ readonly url: string }>("/api/login/link", { scopes })).url;
  return {
    home,
    url: new URL(await link()).origin,
    address,
    ask,
    text: async (path) => (await send(path)).text(),
    link,
    async stop() {
      const { pid } = readState("hub.json") as { readonly pid: number };
      await ask("/api/stop", {});
      while (isAlive(pid)) await sleep(20);
    },
    start: async () => void (await up(new URL(address).port)),
    close: () => home.close(),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
