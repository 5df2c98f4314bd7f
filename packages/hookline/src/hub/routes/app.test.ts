import { describe, expect, it } from "vitest";
import { KEY, startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { httpKeyOf } from "../../agents/client/attach-key.js";
import { readReply } from "../../agents/client/reply-format.js";
import { isPublic, PUBLIC_ROUTES } from "../auth/public-routes.js";
import { routes } from "./table.js";

/** What each route is asked with, so that only the token is in question. */
function requestOf({ method, path }: { readonly method: string; readonly path: string }) {
  const url = path.replaceAll(/:\w+/g, "nowhere") + (path === "/api/hooks/proof" ? `?nonce=${"n".repeat(32)}` : "");
  return { url, asking: method === "POST" ? { method, body: "{}" } : { method } };
}

describe("every route of the router", () => {
  it("answers 401 without a token and with a wrong one, except the public ones", async () => {
    const { server, ask, asked } = await startHttpHub();
    const walked = [
      ...server.app.routes,
      { method: "GET", path: "/any" },
      { method: "DELETE", path: "/api/events" },
      { method: "GET", path: "/nowhere" },
    ];
    for (const route of walked) {
      const { url, asking } = requestOf(route);
      for (const token of [null, "x".repeat(43), "Bearer"]) {
        const { status, headers, json } = await ask(url, { ...asking, token });
        // A login without a code, and a file that the page does not have.
        if (isPublic(route.method, route.path)) expect([200, 400, 404]).toContain(status);
        else {
          expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
          expect(headers["www-authenticate"]).toBe("Bearer");
          expect(json.error).toMatchObject({ code: "HL_UNAUTHORIZED", message: expect.any(String), fix: expect.any(String) });
        }
      }
    }
    expect(asked).toEqual([]);
  });

  it("is in the table, and what the table calls public is the listed constant", async () => {
    const { server } = await startHttpHub();
    const served = server.app.routes.map(({ method, path }) => `${method} ${path}`);
    expect(served.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    const open = routes.filter(({ scope }) => scope === "public").map(({ method, path }) => ({ method, path }));
    expect(open).toEqual(PUBLIC_ROUTES);
  });

  it("takes no token from anywhere but the header", async () => {
    const { ask, parts } = await startHttpHub();
    const { operator } = parts.tokens;
    for (const name of ["token", "access_token", "authorization"])
      expect((await ask(`/api/events?${name}=${operator}`, { token: null })).status).toBe(401);
    expect((await ask("/api/events", { token: null, headers: { cookie: `token=${operator}` } })).status).toBe(401);
    expect((await ask("/api/events", { token: null, headers: { authorization: `Basic ${operator}` } })).status).toBe(401);
    expect((await ask("/api/events", { token: null, headers: { authorization: operator } })).status).toBe(401);
  });

  it("is described in the OpenAPI document, and nothing else is", async () => {
    const { ask } = await startHttpHub();
    const { json: document } = await ask("/api/openapi.json");
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    for (const { method, path, scope, params, query, body, rawBody = {}, answer } of routes) {
      const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
      const namesIn = (place: string) =>
        (operation.parameters ?? [])
          .filter((parameter: { in: string }) => parameter.in === place)
          .map(({ name }: { name: string }) => name);
      expect(namesIn("path")).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
      expect(namesIn("path")).toEqual(Object.keys(params?.shape ?? {}));
      expect(namesIn("query")).toEqual(Object.keys(query?.shape ?? {}));
      const bodies = body === undefined ? Object.keys(rawBody) : ["application/json"];
      expect([path, method === "POST"]).toEqual([path, bodies.length > 0]);
      expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(bodies);
      expect(Object.keys(operation.responses)).toEqual([String(answer.status ?? 200), "default"]);
      expect(operation.security).toEqual(scope === "public" ? [] : [{ token: [] }]);
    }
    const ids = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("tokens", () => {
  it("may do what their scopes say and nothing more: the scope matrix", async () => {
    const { ask, parts, asked } = await startHttpHub();
    for (const route of routes.filter(({ path }) => path !== "/api/stream")) {
      const { url, asking } = requestOf(route);
      const agent = await ask(url, { ...asking, token: parts.tokens.agent });
      const isForAgents = ["public", "ingest", "decide"].includes(route.scope);
      expect([route.path, agent.status === 403]).toEqual([route.path, !isForAgents]);
      if (!isForAgents) expect(agent.json.error).toMatchObject({ code: "HL_SCOPE", message: expect.stringContaining(`"${route.scope}"`) });
    }
    expect((await ask("/api/stream", { token: parts.tokens.agent })).status).toBe(403);
    for (const token of [KEY.token, httpKeyOf(KEY, "claude-code")])
      for (const route of routes) {
        const { url, asking } = requestOf(route);
        const { status } = await ask(url, { ...asking, token });
        const isForAttached = route.scope === "public" || route.scope === "hook";
        expect([route.path, status === 403]).toEqual([route.path, !isForAttached]);
      }
    const scraper = parts.tokens.createMetrics();
    for (const route of routes) {
      const { url, asking } = requestOf(route);
      const { status } = await ask(url, { ...asking, token: scraper });
      expect([route.path, status === 403]).toEqual([route.path, route.scope !== "public" && route.scope !== "metrics"]);
    }
    expect((await ask("/metrics", { token: scraper })).status).toBe(200);
    expect(asked).toEqual([]);
    for (const route of routes.filter(({ path }) => path !== "/api/stream")) {
      const { url, asking } = requestOf(route);
      expect([route.path, [401, 403].includes((await ask(url, asking)).status)]).toEqual([route.path, false]);
    }
    expect(asked.sort()).toEqual(["demo", "handOver", "reset rules", "rotate", "stop"]);
  });

  it("are void after a rotation", async () => {
    const { ask, parts } = await startHttpHub();
    const { agent, operator } = parts.tokens;
    expect((await ask("/api/token/rotate", { body: '{"only":"pages"}' })).status).toBe(400);
    expect((await ask("/api/token/rotate", { body: "{}" })).json).toEqual({ rotated: true, left: [] });
    expect((await ask("/api/decide", { body: "{}", token: agent })).status).toBe(401);
    expect((await ask("/api/decide", { body: "{}", token: parts.tokens.agent })).status).toBe(400);
    expect((await ask("/api/sinks", { token: operator })).status).toBe(401);
    expect((await ask("/api/sinks", { token: parts.tokens.operator })).status).toBe(200);
  });

  it("of an agent that posts by itself speak for that agent, and are not told the seal", async () => {
    const { ask } = await startHttpHub();
    const token = httpKeyOf(KEY, "claude-code");
    const post = (path: string) => ask(`/api/agents/${path}`, { body: "{}", token });
    expect((await post("claude-code/Notification?plain=1")).status).toBe(204);
    expect(await post("claude-code/Notification")).toMatchObject({ status: 403, text: expect.not.stringContaining(KEY.seal) });
    expect((await post("codex/PreToolUse?plain=1")).status).toBe(403);
  });

  it("of attached agents, once replaced, get a no where the agent takes one, and 401 elsewhere", async () => {
    const { ask } = await startHttpHub();
    await ask("/api/token/rotate", { body: "{}" });
    for (const token of [KEY.token, httpKeyOf(KEY, "claude-code")]) {
      const denied = await ask("/api/agents/claude-code/PreToolUse?plain=1", { body: "{}", token });
      expect([denied.status, denied.json.hookSpecificOutput.permissionDecision]).toEqual([200, "deny"]);
      expect((await ask("/api/agents/claude-code/Notification?plain=1", { body: "{}", token })).status).toBe(401);
      expect((await ask("/api/hooks/ingest", { body: "{}", token })).status).toBe(403);
    }
    // A script that has read the key just before.
    const nonce = "0123456789abcdef".repeat(2);
    const { text } = await ask("/api/agents/codex/PreToolUse", { body: "{}", token: KEY.token, headers: { "x-hookline-nonce": nonce } });
    expect(readReply(KEY.seal, Buffer.from(text), { nonce, agent: "codex", native: "PreToolUse" })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("was replaced"),
    });
    expect((await ask("/api/events")).json.events).toEqual([]);
  });

  it("that are replaced end what is streamed with them", async () => {
    const { ask, parts } = await startHttpHub();
    const { operator } = parts.tokens;
    const streaming = ask("/api/stream");
    await until(async () => /hookline_stream_clients 1/.test((await ask("/metrics")).text));
    await ask("/api/token/rotate", { body: "{}" });
    expect((await streaming).text).toContain("token_rotated");
    expect((await ask("/api/stream", { token: operator })).status).toBe(401);
  });

  it("that are wrong too often in a second are answered later, and hold up no right one", async () => {
    const { ask } = await startHttpHub({ maxFailedLogins: 3 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask("/api/sinks", { token: "wrong" })));
    const late = answers.filter(({ status }) => status === 429);
    expect(late.length).toBeGreaterThan(0);
    expect(late[0]?.headers["retry-after"]).toBe("1");
    expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
    expect((await ask("/api/sinks")).status).toBe(200);
  });
});

describe("what is not there", () => {
  it("is 404 or 405 for who has a token", async () => {
    const { ask } = await startHttpHub();
    expect(await ask("/nowhere")).toMatchObject({ status: 404, json: { error: { code: "HL_NOT_FOUND" } } });
    expect(await ask("/api/events/")).toMatchObject({ status: 404 });
    for (const method of ["DELETE", "PUT", "PATCH", "OPTIONS", "TRACE"]) {
      const { status, headers, json } = await ask("/api/decide", { method });
      expect([method, status, headers.allow, json.error.code]).toEqual([method, 405, "POST", "HL_WRONG_METHOD"]);
    }
    expect(await ask("/api/events/x", { body: "{}" })).toMatchObject({ status: 405, headers: { allow: "GET" } });
  });

  it("has the headers that keep answers out of pages and caches, as everything has", async () => {
    const { ask } = await startHttpHub();
    for (const path of ["/nowhere", "/api/hooks/health", "/api/sinks", "/api/events?x=1"]) {
      expect((await ask(path)).headers).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
    }
    const head = await ask("/api/hooks/health", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});
