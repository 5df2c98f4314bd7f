import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENTS } from "../era-clients.ts";
import { OpenPair, type Pair, RULES, SERVERS, TRANSPORTS } from "../era-pairs.ts";
import { McpHome } from "../mcp-home.ts";

interface Status {
  readonly servers: readonly { readonly name: string; readonly eras: object }[];
}

const home = new McpHome();
beforeAll(() => home.up(RULES));
afterAll(() => home.close());

const PAIRS = CLIENTS.flatMap((client) =>
  SERVERS.flatMap((server) =>
    TRANSPORTS.map((transport): [string, Pair] => [`${client}, ${server}, ${transport}`, { client, server, transport }]),
  ),
);

describe("every client at every server through the gateway", () => {
  it.each(PAIRS)(
    "%s: lists, calls, is denied, gets results as the rules leave them, hears progress, cancels, answers, reads",
    async (_, pair) => {
      const open = await OpenPair.open(home, pair);
      try {
        await open.check();
      } finally {
        await open.close();
      }
      const client = pair.client === "v2 auto" || pair.client === "v2 pinned" ? "modern" : "legacy";
      const name = `${pair.client}-${pair.server}-${pair.transport}`.replaceAll(" ", "-");
      const { servers } = await home.json<Status>("mcp", "status");
      const eras = { client, server: pair.server === "both" ? client : pair.server };
      expect(servers.find((server) => server.name === name)?.eras).toEqual(eras);
    },
  );
});
