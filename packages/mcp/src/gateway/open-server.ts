import { ask, type Bus, createBus } from "@hookline/core";
import { connectToHub, type HubConnection } from "@hookline/core/forward";
import { inertText } from "@hookline/core/internal/text";
import { PinnedTexts } from "../state/pinned-texts.js";
import { type ServerIdentity, ServerStore, type WithLock } from "../state/server-record.js";
import { createFaults } from "./faults.js";

export interface OpenServerOptions {
  readonly identity: ServerIdentity;
  readonly env: NodeJS.ProcessEnv;
  readonly diff: (path: string, before: string, after: string) => string;
  readonly withLock: WithLock;
  /** To stderr, which clients keep as the server's log. */
  readonly say: (text: string) => void;
}

/** What all sessions with one server share. */
export interface OpenServer {
  readonly bus: Bus;
  readonly line: HubConnection;
  readonly store: ServerStore;
  readonly pins: PinnedTexts;
  readonly fault: (text: string) => void;
}

/** A bus that asks the hub about every call, and the pins of the server's texts. */
export function openServer({ identity, env, diff, withLock, say }: OpenServerOptions): OpenServer {
  const { name } = identity;
  const store = new ServerStore(identity, { env, withLock });
  const bus = createBus({ source: `mcp-${name}` });
  // Always asked, and closed: a gateway that finds no hub lets nothing pass.
  const line = connectToHub(bus, { gates: { events: ["tool:before"], onFailure: "closed" }, flushOnSignals: false });
  const fault = createFaults((text) => {
    say(inertText(text));
    store.noteFault(text);
    void bus.emit("mcp:fault", { server: name, action: text });
  });
  const pins = new PinnedTexts({
    store,
    diff,
    onChange(item, state, detail) {
      void bus.emit(`mcp:${state}`, { server: name, action: item, raw: detail });
      if (state === "changed") fault(`The MCP server "${name}" has changed ${item}. To see it: hookline mcp pins`);
    },
  });
  bus.on("tool:before", ({ payload: { tool } }) => changeQuestion(name, tool.runtimeName ?? "", pins), {
    name: "mcp-pins",
    description: "asks about tools whose descriptions differ from the pinned ones",
    onFailure: "closed",
  });
  return { bus, line, store, pins, fault };
}

function changeQuestion(server: string, tool: string, pins: PinnedTexts) {
  const difference = pins.difference(tool);
  if (difference === undefined) return undefined;
  return ask(
    `The MCP server "${server}" has changed the description of "${inertText(tool)}" since it was pinned. To accept it for good: hookline mcp pins\n${difference}`,
  );
}
