import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call } from "../../../../../test/support/hook-files.js";
import { forbiddenAddresses, forbiddenHosts, localSpellings } from "../../../../../test/support/internal-hosts.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createUrlSource } from "./url-source.js";
import { parseUrlTarget } from "./url-spec.js";

const refused = expect.objectContaining({ code: "HL_URL_TARGET" });

async function serve(answer: RequestListener) {
  let connections = 0;
  const server = createServer(answer).on("connection", () => void connections++);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function busWith(url: string, lookup?: LookupFunction) {
  const bus = createBus({ onError: () => {} });
  const source = createUrlSource({
    name: "remote",
    url,
    hooks: [{ event: "tool:before" }],
    ...(lookup !== undefined && { lookup }),
  });
  onTestFinished(() => void source.close());
  bus.on("tool:before", async (event) => (await source.handle(event)) as undefined, { name: "remote", onFailure: "closed", timeoutMs: 0 });
  return bus;
}

describe("the url of a hook", () => {
  it(`refuses ${forbiddenHosts.length} spellings of internal hosts, with and without a port`, () => {
    const parsed = forbiddenHosts.flatMap((host) =>
      ["http", "https"].flatMap((scheme) =>
        ["", ":8080"].flatMap((port) => {
          const url = `${scheme}://${host}${port}/latest/meta-data/`;
          try {
            return [parseUrlTarget({ what: "The url of the hook", url }).url.href];
          } catch (error) {
            expect(error, url).toEqual(refused);
            return [];
          }
        }),
      ),
    );
    expect(forbiddenHosts.length).toBeGreaterThanOrEqual(37);
    expect(parsed).toEqual([]);
  });

  it("keeps plain http on this machine, however the address is written", () => {
    for (const host of localSpellings)
      expect(parseUrlTarget({ what: "The url of the hook", url: `http://${host}/` }).url.protocol).toBe("http:");
    for (const host of ["10.1", "192.168.1.1", "[fd12::1]", "example.test", "localhost.example.test", "127.0.0.1.nip.test"])
      expect(() => parseUrlTarget({ what: "The url of the hook", url: `http://${host}/` }), host).toThrow(refused);
  });

  it("refuses user names, other schemes and text that only looks like a local address", () => {
    for (const url of [
      "https://127.0.0.1@169.254.169.254/",
      "http://localhost:80@example.test/",
      "file:///etc/passwd",
      "gopher://127.0.0.1/",
      "//127.0.0.1/",
    ])
      expect(() => parseUrlTarget({ what: "The url of the hook", url }), url).toThrow(refused);
  });
});

describe("a name that leads elsewhere", () => {
  const resolving =
    (address: string): LookupFunction =>
    (_, __, callback) =>
      callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);

  it.each(forbiddenAddresses)("is not called at %s", async (address) => {
    const { lookup } = parseUrlTarget({ what: "The url of the hook", url: "https://hook.example.test/", lookup: resolving(address) });
    const error = await new Promise((resolve) => lookup("hook.example.test", { all: true }, resolve));
    expect(error).toEqual(refused);
  });

  it("is not called over plain http beyond this machine", async () => {
    for (const address of ["10.0.0.1", "8.8.8.8", "192.168.1.1", "fd12::1"]) {
      const { lookup } = parseUrlTarget({ what: "The url of the hook", url: "http://hook.localhost/", lookup: resolving(address) });
      expect(await new Promise((resolve) => lookup("hook.localhost", { all: true }, resolve)), address).toEqual(refused);
    }
  });
});

describe("a redirect", () => {
  it("is not followed by a running hub, wherever it leads, and the call is denied", async () => {
    const internal = await serve((_, response) => void response.end("{}"));
    const targets = [
      `http://127.0.0.1:${internal.port}/`,
      `http://localhost:${internal.port}/`,
      `//127.0.0.1:${internal.port}/`,
      ...forbiddenHosts.map((host) => `http://${host}/`),
    ];
    let asked = 0;
    const hook = await serve((request, response) => {
      request.resume();
      const target = targets[asked % targets.length] as string;
      const status = [301, 302, 303, 307, 308][asked++ % 5] as number;
      response.writeHead(status, { location: encodeURI(target) }).end();
    });
    const folder = testFolder();
    const config = join(folder, "hookline.toml");
    writeFileSync(
      config,
      `[[hook]]\nname = "remote"\nevent = "tool:before"\nurl = "http://127.0.0.1:${hook.port}/hook"\nonFailure = "closed"\n`,
    );
    const hub = await startHub({ state: join(folder, "state"), config, port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    for (const target of targets) {
      const decision = await hub.parts.gates.decide({ event: "tool:before", payload: call("ls") }, new AbortController().signal);
      expect([target, decision.verdict]).toEqual([target, "deny"]);
    }
    expect(asked).toBe(targets.length);
    expect(internal.connections()).toBe(0);
  });

  it("of a name that resolves to this machine at first and elsewhere later is checked at every connection", async () => {
    const server = await serve((request, response) => {
      request.resume();
      response.writeHead(204, { connection: "close" }).end();
    });
    let address = "127.0.0.1";
    const bus = busWith(`http://hook.localhost:${server.port}/`, (_, __, callback) => callback(null, [{ address, family: 4 }]));
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
    address = "169.254.169.254";
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny", cause: { cause: { code: "HL_URL_TARGET" } } });
    expect(server.connections()).toBe(1);
  });
});
