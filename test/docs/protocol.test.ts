import { readFileSync } from "node:fs";
import { join } from "node:path";
import { prove } from "@hookline/core/internal/machine";
import type { HubFrame } from "@hookline/core/internal/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HubProcess, until } from "../conformance-clients/hub-process.ts";
import { LineClient } from "../support/line-client.ts";
import { read } from "./repository.ts";

type Json = { readonly [key: string]: unknown };

interface Example {
  readonly by: string;
  readonly text: string;
  readonly frame: Json;
}

const page = read("docs/protocol.md");
/** Shown over several lines; on the socket each is one. */
const examples: readonly Example[] = [...page.matchAll(/^```json (client|hub)\n([\s\S]*?)\n```$/gm)].map(([, by = "", text = ""]) => {
  const frame = JSON.parse(text) as Json;
  return { by, frame, text: JSON.stringify(frame) };
});

/** Every `type` of a frame in the code's own types, by who says it. */
function typesOf(name: "ClientFrame" | "HubFrame"): readonly string[] {
  const source = read("packages/core/src/wire/hub-protocol.ts");
  const declared = source.slice(source.indexOf(`export type ${name} =`));
  const inline = [...declared.slice(0, declared.indexOf(";\n\n")).matchAll(/readonly type: "(\w+)"/g)].map(([, type = ""]) => type);
  const named = name === "ClientFrame" ? [] : [...source.matchAll(/^ {2}readonly type: "(\w+)";$/gm)].map(([, type = ""]) => type);
  return [...new Set([...inline, ...named])].sort();
}

describe("docs/protocol.md", () => {
  it("has an example of every frame that the code knows, and of no other", () => {
    const shown = (by: string) => [
      ...new Set(
        examples.filter((example) => example.by === by && !example.text.startsWith('{"v":')).map(({ frame }) => String(frame.type)),
      ),
    ];
    expect(shown("client").sort()).toEqual(typesOf("ClientFrame"));
    expect(shown("hub").sort()).toEqual(typesOf("HubFrame"));
  });

  it("has a worked example of the handshake with the right numbers", () => {
    const value = (name: string) => new RegExp(`^\\| ${name} +\\| \`(.*)\``, "m").exec(page)?.[1] ?? "";
    const [token, instance] = [value("token"), value("instance")];
    expect(value("proof of the hub")).toBe(prove(token, "hub", instance, value("client's nonce")));
    expect(value("client's proof")).toBe(prove(token, "client", instance, value("hub's nonce")));
    const frames = examples.map(({ frame }) => frame);
    expect(frames[0]).toMatchObject({ nonce: value("client's nonce") });
    expect(frames[1]).toMatchObject({ proof: value("proof of the hub"), nonce: value("hub's nonce"), instance });
    expect(frames[2]).toMatchObject({ proof: value("client's proof") });
  });

  describe("with a hub", () => {
    let hub: HubProcess;
    beforeAll(async () => {
      hub = new HubProcess(read("test/conformance-clients/policy.toml"));
      await hub.start();
    });
    afterAll(() => hub.close());

    it("gets the answers that it shows: each frame of a client is sent as it is written", async () => {
      const { line, token } = JSON.parse(readFileSync(join(hub.home.state, "hub.json"), "utf8")) as { line: string; token: string };
      const client = new LineClient(line);
      let taken = 0;
      let nonce = "";
      for (const [index, { by, text, frame }] of examples.entries()) {
        if (by === "client") {
          // The token of this hub is not the one of the page.
          const proof = frame.type === "login" ? { ...frame, proof: prove(token, "client", instanceOf(client), nonce) } : undefined;
          client.say(proof ?? text);
          if (frame.type === "approve") await hub.answer({ verdict: "allow", reason: "go" });
          continue;
        }
        // What the hub says by itself, or about a guard that takes too long, is only shown.
        if (examples[index - 1]?.by === "hub" ? frame.type !== "ack" : !ANSWERS.has(String(frame.type))) continue;
        await until(
          `the answer to ${examples[index - 1]?.text}`,
          () => client.frames.slice(taken).some((found) => matches(found, frame)) || client.isClosed,
        );
        const found = client.frames.slice(taken).find((each) => matches(each, frame));
        expect(found, JSON.stringify(client.frames.at(-1))).toBeDefined();
        expect(Object.keys(found as object)).toEqual(Object.keys(frame));
        expect(stable(found as unknown as Json)).toEqual(stable(frame));
        if (found?.type === "proof") nonce = found.nonce;
        taken = frame.type === "refused" ? taken : client.frames.indexOf(found as HubFrame) + 1;
      }
      expect(client.isClosed).toBe(false);
      client.socket.destroy();
    });
  });
});

const ANSWERS: ReadonlySet<string> = new Set(["proof", "welcome", "ack", "refused", "verdict", "transformed", "approved"]);
/** Fields that differ from hub to hub, or from run to run. */
const CHANGING: ReadonlySet<string> = new Set(["instance", "proof", "nonce", "gates", "trail"]);

function instanceOf({ frames }: LineClient): string {
  return String((frames.find(({ type }) => type === "proof") as { readonly instance?: string } | undefined)?.instance);
}

function matches(found: HubFrame, { type, id, n }: Json): boolean {
  const { id: foundId, n: foundN } = found as { readonly id?: string; readonly n?: number };
  return found.type === type && foundId === id && foundN === n;
}

function stable(frame: Json): Json {
  return Object.fromEntries(Object.entries(frame).filter(([key]) => !CHANGING.has(key)));
}
