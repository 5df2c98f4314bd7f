import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { type HttpHub, sendRaw, startHttpHub, until } from "../../../../../test/support/http-hub.ts";

async function linkOf(hub: HttpHub, scopes?: readonly string[]) {
  const { json } = await hub.ask("/api/login/link", { body: JSON.stringify({ scopes }) });
  return new URL(json.url);
}

/** An opened dashboard: it sends what a browser sends. */
async function openPage(hub: HttpHub, scopes: readonly string[] = ["read", "approve"]) {
  const origin = `http://127.0.0.1:${hub.port}`;
  const code = (await linkOf(hub, scopes)).hash.slice(1);
  const told = await hub.ask("/api/login", {
    token: null,
    body: JSON.stringify({ code }),
    headers: { origin, "sec-fetch-site": "same-origin" },
  });
  const [setCookie = ""] = told.headers["set-cookie"] ?? [];
  const cookie = setCookie.split(";")[0] as string;
  const key: string = told.json.key;
  const headers: Record<string, string> = { cookie, origin, "sec-fetch-site": "same-origin", "hookline-key": key };
  const ask = (path: string, options: { body?: string; headers?: Record<string, string | undefined> } = {}) => {
    const all = Object.entries({ ...headers, ...options.headers }).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return hub.ask(path, { ...options, token: null, headers: Object.fromEntries(all) });
  };
  return { code, told, setCookie, cookie, key, ask };
}

const changes = ["/api/token/rotate", "/api/stop", "/api/demo", "/api/login/link"];

describe("a link", () => {
  it("has its code where no server and no log sees it", async () => {
    const hub = await startHttpHub();
    const url = await linkOf(hub);
    expect([url.origin, url.pathname, url.search]).toEqual([`http://127.0.0.1:${hub.port}`, "/login", ""]);
    expect(url.hash).toMatch(/^#[\w-]{43}$/);
    const page = await hub.ask("/login", { token: null });
    expect([page.status, page.headers["content-type"], page.headers["referrer-policy"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-referrer",
    ]);
    // In a query it is worth nothing.
    for (const path of [`/login?code=${url.hash.slice(1)}`, `/?code=${url.hash.slice(1)}`])
      expect((await hub.ask(path, { token: null })).headers["set-cookie"]).toBeUndefined();
    const script = await hub.ask("/login.js", { token: null });
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(script.text).toContain('history.replaceState(null, "", "/login")');
  });

  it("is good once, also for two who come at the same time", async () => {
    const hub = await startHttpHub();
    const code = (await linkOf(hub)).hash.slice(1);
    const answers = await Promise.all([1, 2, 3, 4].map(() => hub.ask("/api/login", { token: null, body: JSON.stringify({ code }) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect(answers.flatMap(({ headers }) => headers["set-cookie"] ?? [])).toHaveLength(1);
    const late = answers.find(({ status }) => status === 401);
    expect(late?.json.error).toMatchObject({ code: "HL_UNAUTHORIZED", fix: "Run: hookline open" });
  });

  it("is made by who may approve, and for what there is", async () => {
    const hub = await startHttpHub();
    expect((await hub.ask("/api/login/link", { body: "{}", token: hub.parts.tokens.agent })).status).toBe(403);
    expect((await hub.ask("/api/login/link", { body: "{}", token: null })).status).toBe(401);
    for (const scopes of [[], ["approve"], ["read", "decide"], ["read", "ingest"], "read", { read: true }, [["read"]]])
      expect((await hub.ask("/api/login/link", { body: JSON.stringify({ scopes }) })).status).toBe(400);
    const { told } = await openPage(hub, undefined);
    expect(told.json.scopes).toEqual(["read", "approve"]);
  });

  it("cannot be guessed: wrong codes are held up, right ones are not", async () => {
    const hub = await startHttpHub({ maxFailedLogins: 3 });
    const code = (await linkOf(hub)).hash.slice(1);
    const wrong = JSON.stringify({ code: "x".repeat(43) });
    const answers = await Promise.all(Array.from({ length: 40 }, () => hub.ask("/api/login", { token: null, body: wrong })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const cookies = await Promise.all(
      Array.from({ length: 40 }, () => hub.ask("/api/me", { token: null, headers: { cookie: `hookline=${"x".repeat(43)}` } })),
    );
    expect(cookies.map(({ status }) => status)).toContain(429);
    expect((await hub.ask("/api/login", { token: null, body: JSON.stringify({ code }) })).status).toBe(200);
    for (const body of ["{}", '{"code":""}', '{"code":7}', '{"code":{"x":1}}'])
      expect((await hub.ask("/api/login", { token: null, body })).status).toBe(400);
  });
});

describe("a page that has logged in", () => {
  it("has a cookie that no script and no other site gets at", async () => {
    const { setCookie, key } = await openPage(await startHttpHub());
    expect(setCookie).toMatch(/^hookline=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/);
    expect(setCookie).not.toContain(key);
  });

  it("may do what its link was for, and no more", async () => {
    const hub = await startHttpHub();
    const [full, reader] = [await openPage(hub), await openPage(hub, ["read"])];
    expect((await full.ask("/api/me")).json).toEqual({
      scopes: ["read", "approve"],
      version: hub.parts.version,
      instance: hub.parts.instance,
    });
    expect((await reader.ask("/api/me")).json.scopes).toEqual(["read"]);
    for (const page of [full, reader]) {
      expect((await page.ask("/api/events")).status).toBe(200);
      // Neither the events of others nor decisions come from a page.
      for (const path of ["/api/hooks/ingest", "/api/decide"]) expect((await page.ask(path, { body: "{}" })).status).toBe(403);
    }
    for (const path of [...changes, "/api/selftest", "/api/approvals/x", "/api/handlers/x", "/api/handlers/test"])
      expect((await reader.ask(path, { body: "{}" })).json.error).toMatchObject({ code: "HL_SCOPE" });
    expect(hub.asked).toEqual([]);
    // A link with fewer scopes, opened in the same browser, does not downgrade the session. Without the key the hub cannot tell that it would.
    const redeem = async (headers = {}) =>
      full.ask("/api/login", { body: JSON.stringify({ code: (await linkOf(hub, ["read"])).hash.slice(1) }), headers });
    const kept = await redeem();
    expect([kept.json, kept.headers["set-cookie"]]).toEqual([{ key: full.key, scopes: ["read", "approve"], isKept: true }, undefined]);
    for (const path of changes) expect((await full.ask(path, { body: "{}" })).status).toBeLessThan(300);
    expect((await redeem({ "hookline-key": undefined })).json.scopes).toEqual(["read"]);
    expect((await full.ask("/api/me")).status).toBe(401);
  });

  it("changes nothing by its cookie alone: a server on another port of this host gets to see that", async () => {
    const hub = await startHttpHub();
    const { ask } = await openPage(hub);
    for (const key of [undefined, "", "x".repeat(43)]) {
      expect((await ask("/api/me", { headers: { "hookline-key": key } })).json.scopes).toEqual(["read"]);
      for (const path of changes) expect((await ask(path, { body: "{}", headers: { "hookline-key": key } })).status).toBe(403);
    }
    expect(hub.asked).toEqual([]);
  });

  it("is not a page of another origin, whatever it brings", async () => {
    const hub = await startHttpHub();
    const { ask } = await openPage(hub);
    const others: Record<string, string | undefined>[] = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${hub.port + 1}` },
      { origin: `http://localhost:${hub.port}` },
      { origin: `https://127.0.0.1:${hub.port}` },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      { origin: undefined, "sec-fetch-site": undefined },
      { origin: undefined, "sec-fetch-site": "none" },
      { host: "evil.example" },
      { host: `evil.example:${hub.port}` },
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
    ];
    for (const headers of others)
      for (const path of [...changes, "/api/logout"])
        expect([headers, [403, 415, 421]]).toEqual([headers, expect.arrayContaining([(await ask(path, { body: "{}", headers })).status])]);
    expect(hub.asked).toEqual([]);
    expect((await ask("/api/me")).json.scopes).toEqual(["read", "approve"]);
  });

  it("is not shut out by cookies that other servers of this host set", async () => {
    const { ask, cookie } = await openPage(await startHttpHub());
    for (const header of [`hookline=${"y".repeat(43)}; ${cookie}`, `a=b; ${cookie}; hookline=z`, `hookline=; ${cookie}`])
      expect((await ask("/api/me", { headers: { cookie: header } })).status).toBe(200);
    for (const header of [`x${cookie}`, cookie.toUpperCase(), `${cookie}x`, cookie.replace("=", " = "), "hookline"])
      expect((await ask("/api/me", { headers: { cookie: header } })).status).toBe(401);
  });

  it("is found among as many cookies as others can set, also those of another login of its own", async () => {
    const hub = await startHttpHub();
    const [reader, full] = [await openPage(hub, ["read"]), await openPage(hub)];
    const strange = Array.from({ length: 20 }, (_, index) => `hookline=${String(index).padEnd(43, "x")}`);
    for (const cookies of [
      [...strange, full.cookie],
      [reader.cookie, full.cookie],
      [...strange, reader.cookie, full.cookie],
    ])
      expect((await full.ask("/api/me", { headers: { cookie: cookies.join("; ") } })).json.scopes).toEqual(["read", "approve"]);
  });

  it("cannot be signed out by who has its cookie alone", async () => {
    const { ask } = await openPage(await startHttpHub());
    for (const key of [undefined, "", "x".repeat(43)])
      expect((await ask("/api/logout", { body: "{}", headers: { "hookline-key": key } })).json.error).toMatchObject({ code: "HL_SCOPE" });
    expect((await ask("/api/me")).json.scopes).toEqual(["read", "approve"]);
    expect((await ask("/api/logout", { body: "{}" })).status).toBe(200);
  });

  it("is logged in by the name its link has, and by no other", async () => {
    const names = ["hpresent.localhost", "hformer.localhost"];
    const hub: HttpHub = await startHttpHub({}, () => ({ dashboardNames: () => names, url: () => `http://${names[0]}:${hub.port}` }));
    const login = async (name: string) => {
      const link = await linkOf(hub);
      expect(link.origin).toBe(`http://hpresent.localhost:${hub.port}`);
      const host = `${name}:${hub.port}`;
      const headers = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
      return hub.ask("/api/login", { token: null, body: JSON.stringify({ code: link.hash.slice(1) }), headers });
    };
    for (const other of ["127.0.0.1", "localhost", "hformer.localhost"]) expect([other, (await login(other)).status]).toEqual([other, 401]);
    expect((await login("hother.localhost")).status).toBe(421);
    const told = await login("hpresent.localhost");
    expect(told.status).toBe(200);
    const cookie = told.headers["set-cookie"]?.[0]?.split(";")[0] as string;
    const me = async (name: string) => (await hub.ask("/api/me", { token: null, headers: { host: `${name}:${hub.port}`, cookie } })).status;
    expect([await me("hpresent.localhost"), await me("127.0.0.1"), await me("hformer.localhost")]).toEqual([200, 401, 401]);
    const { json } = await hub.ask("/api/login/link", { body: JSON.stringify({ host: "127.0.0.1", scopes: ["read", "approve"] }) });
    expect(new URL(json.url).origin).toBe(`http://127.0.0.1:${hub.port}`);
  });

  it("ends when it logs out or logs in again", async () => {
    const hub = await startHttpHub();
    const first = await openPage(hub);
    const out = await first.ask("/api/logout", { body: "{}" });
    expect([out.json, out.headers["set-cookie"]]).toEqual([{ out: true }, ["hookline=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"]]);
    expect((await first.ask("/api/me")).json.error).toMatchObject({ code: "HL_UNAUTHORIZED", fix: "Run: hookline open" });
    const second = await openPage(hub);
    const code = (await linkOf(hub, ["read", "approve"])).hash.slice(1);
    await second.ask("/api/login", { body: JSON.stringify({ code }) });
    expect((await second.ask("/api/me")).status).toBe(401);
  });
});

/** The stream of a page: ends when the hub ends it. */
function watch({ ask }: Awaited<ReturnType<typeof openPage>>) {
  const stream = { isOver: false, text: ask("/api/stream").then(({ text }) => text) };
  void stream.text.then(() => (stream.isOver = true));
  return stream;
}

describe("the streams of a page", () => {
  it("end when it logs out, and those of other sessions do not", async () => {
    const hub = await startHttpHub();
    const [leaving, staying] = [await openPage(hub), await openPage(hub)];
    const [first, second, other] = [watch(leaving), watch(leaving), watch(staying)];
    const operator = hub.ask("/api/stream").catch(() => undefined);
    await streams(hub, 4);
    await leaving.ask("/api/logout", { body: "{}" });
    for (const { text } of [first, second]) expect(await text).toContain('event: bye\ndata: {"reason":"signed_out"}');
    await streams(hub, 2);
    expect(other.isOver).toBe(false);
    await hub.server.close();
    await operator;
  });

  it("all end when every session is signed out, which needs the scope approve", async () => {
    const hub = await startHttpHub();
    const [full, reader] = [await openPage(hub), await openPage(hub, ["read"])];
    const code = (await linkOf(hub)).hash.slice(1);
    const open = [watch(full), watch(reader)];
    await streams(hub, 2);
    const body = JSON.stringify({ everywhere: true });
    expect((await reader.ask("/api/logout", { body })).status).toBe(403);
    expect((await full.ask("/api/logout", { body: '{"everywhere":1}' })).status).toBe(400);
    expect((await hub.ask("/api/logout", { body })).json).toEqual({ out: true, pages: 2 });
    for (const { text } of open) expect(await text).toContain("signed_out");
    for (const page of [full, reader]) expect((await page.ask("/api/me")).status).toBe(401);
    expect((await hub.ask("/api/login", { token: null, body: JSON.stringify({ code }) })).status).toBe(401);
    expect((await hub.ask("/api/logout", { body })).json).toEqual({ out: true, pages: 0 });
  });

  it("do not end when the keys of attached agents are replaced", async () => {
    const hub = await startHttpHub();
    const page = await openPage(hub);
    const stream = watch(page);
    await streams(hub, 1);
    await hub.ask("/api/token/rotate", { body: '{"only":"agents"}' });
    expect((await page.ask("/api/me")).status).toBe(200);
    expect(stream.isOver).toBe(false);
    await hub.server.close();
    expect(await stream.text).toContain('"stopping"');
  });

  async function streams(hub: HttpHub, count: number): Promise<void> {
    await until(async () => (await hub.ask("/metrics")).text.includes(`hookline_stream_clients ${count}\n`));
  }
});

describe("a hub beyond loopback", () => {
  it("allows no approval from there unless remote approvals are on", async () => {
    const address = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
    if (address === undefined) return;
    for (const remoteApprovals of [false, true]) {
      const hub = await startHttpHub({}, () => ({ remoteApprovals }));
      await hub.server.listenTcp(address, hub.port);
      const link = (body: object) => hub.ask("/api/login/link", { body: JSON.stringify(body) });
      const { json, status } = await link({ scopes: ["read", "approve"], host: address });
      expect([remoteApprovals, status]).toEqual([remoteApprovals, remoteApprovals ? 200 : 403]);
      if (remoteApprovals) expect(new URL(json.url).origin).toBe(`http://${address}:${hub.port}`);
      expect((await link({ host: address })).json.url).toContain(`http://${address}:${hub.port}/login#`);
      for (const host of ["192.0.2.7", "evil.example", "", 7, "127.0.0.1:1", "x@127.0.0.1"])
        expect((await link({ host })).status).toBe(400);

      const { code } = await openPage(hub);
      expect(code).toHaveLength(43);
      const far = (path: string, init: RequestInit = {}) =>
        fetch(`http://${address}:${hub.port}${path}`, {
          ...init,
          headers: { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" },
        });
      const me = (await (await far("/api/me")).json()) as { readonly scopes: readonly string[] };
      expect(me.scopes.includes("approve")).toBe(remoteApprovals);
      const answer = await far("/api/approvals/x", { method: "POST", body: '{"verdict":"allow","hash":"x"}' });
      expect(answer.status).toBe(remoteApprovals ? 409 : 403);
      if (!remoteApprovals) expect(await answer.text()).toContain("--remote-approvals");
      // On this machine itself, and on the socket, nothing is different.
      expect((await hub.ask("/api/me")).json.scopes).toContain("approve");
      expect((await hub.ask("/api/me", { isOverSocket: true })).json.scopes).toContain("approve");
    }
  });
});

describe("the page", () => {
  it("runs nothing but its own files, in no frame", async () => {
    const { ask } = await startHttpHub();
    for (const path of ["/", "/?view=live&event=tool:*", "/login", "/login.js"]) {
      const { status, headers } = await ask(path, { token: null });
      expect([path, status, headers["x-frame-options"], headers["cache-control"]]).toEqual([path, 200, "DENY", "no-store"]);
      const policy = headers["content-security-policy"] as string;
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toMatch(/unsafe|\*|http:/);
    }
    const { text } = await ask("/login", { token: null });
    expect(text).not.toMatch(/<script(?![^>]* src=)|style=|<style| on\w+=/i);
  });

  it("takes away what asks for the script of a service worker, wherever that was", async () => {
    const { ask } = await startHttpHub();
    for (const path of ["/sw.js", "/deep/er/worker.js?v=2", "/login.js"]) {
      const { status, headers, text } = await ask(path, { token: null, headers: { "service-worker": "script" } });
      expect([status, headers["content-type"], headers["service-worker-allowed"]]).toEqual([200, "text/javascript; charset=utf-8", "/"]);
      expect(text).toContain("registration.unregister()");
    }
    expect((await ask("/sw.js", { token: null })).status).toBe(401);
  });

  it("has no file but its own", async () => {
    const hub = await startHttpHub();
    const names = [
      "..%2findex.html",
      "..%2f..%2fpackage.json",
      "%2e%2e%2findex.html",
      ".hidden",
      "%00.js",
      "a%00.js",
      "..",
      "..%5cx.js",
      "x/y.js",
      "C:x.js",
      "con.js",
      "-.js",
      "package.json",
    ];
    for (const name of names) {
      const answer = await sendRaw(hub.port, `GET /assets/${name} HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nConnection: close\r\n\r\n`);
      expect([name, answer.slice(0, 10)]).toEqual([name, expect.stringMatching(/^HTTP\/1.1 4/)]);
    }
  });

  it("may be come to from anywhere, but not framed, fetched or posted to", async () => {
    const { ask } = await startHttpHub();
    const visit = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const path of ["/", "/login", "/?view=live"]) expect((await ask(path, { token: null, headers: visit })).status).toBe(200);
    for (const path of ["/api/me", "/api/events", "/metrics", "/api/export?format=html", "/login.js"])
      expect((await ask(path, { headers: visit })).status).toBe(403);
    for (const other of [
      { "sec-fetch-dest": "iframe" },
      { "sec-fetch-mode": "no-cors" },
      { "sec-fetch-mode": "cors" },
      { origin: "http://evil.example" },
    ])
      expect((await ask("/login", { token: null, headers: { ...visit, ...other } })).status).toBe(403);
    expect((await ask("/login", { token: null, method: "POST", body: "{}", headers: visit })).status).toBe(403);
  });
});
