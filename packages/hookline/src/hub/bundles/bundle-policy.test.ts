import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, putFiles } from "../../../../../test/support/hook-files.js";
import { createPolicyAuthor } from "../../../../../test/support/policy-bundle.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { DAY_MS, wordRule } from "../../../../../test/support/word-rule.js";
import type { AlarmReport } from "../alarms/alarms.js";
import type { PolicyAnswer } from "../protocol.js";
import { type AcceptedSource, type BundlePolicy, createBundlePolicy } from "./bundle-policy.js";

const curl = { "rules.toml": wordRule("no-curl", "curl") };
const guard = (handler: string, canary = "rm x") => ({
  "hooks/guard/HOOK.yaml": `name: guard\nevents: ["tool:before"]\nonFailure: closed\ncanary: "${canary}"\n`,
  "hooks/guard/handler.mjs": handler,
});
const denying = `export const handle = (e, c) => c.tool.input.command.startsWith("rm") ? { decision: "deny", reason: "guard" } : undefined;\n`;

/** A host without a hub around it: what is in force, by names, and what was alarmed. */
function createHost(folder = testFolder(), isJoined = () => false) {
  const alarms: string[] = [];
  let time = Date.now();
  const state = join(folder, "state");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const policy: BundlePolicy = createBundlePolicy({
    state,
    data: state,
    alarm: ({ text }: AlarmReport) => void alarms.push(text),
    onProblem: () => {},
    isJoined,
    now: () => time,
  });
  onTestFinished(() => policy.close());
  return {
    folder,
    state,
    policy,
    alarms,
    pass(ms: number): void {
      time += ms;
    },
    names: () =>
      policy
        .inForce()
        .flatMap((hook) => [...(hook.rules ?? []).map(({ name, do: what }) => `${name} ${what}`), ...(hook.rules ? [] : [hook.name])]),
  };
}

describe("a bundle of a folder", () => {
  it("is in force after its tests, follows the folder, survives a restart, and is never rolled back", async () => {
    const author = createPolicyAuthor();
    const source: AcceptedSource = { from: author.out, keys: [author.publicKey] };
    author.publish({ ...curl, ...guard(denying) });
    const host = createHost();
    await host.policy.configure(source);
    expect(host.names()).toEqual(["no-curl block", "guard"]);
    author.publish({ "rules.toml": wordRule("no-wget", "wget") }, { serial: 2 });
    await host.policy.check();
    expect(host.names()).toEqual(["no-wget block"]);
    expect(host.policy.status()).toMatchObject({ bundle: { serial: 2, signer: "Acme" } });

    const again = createHost(host.folder);
    rmSync(join(author.out, "stable.bundle"));
    await again.policy.configure(source);
    expect(again.names()).toEqual(["no-wget block"]);
    expect(again.policy.status()).toMatchObject({ failed: expect.stringContaining("There is no") });
    author.publish(curl, { serial: 1 });
    await again.policy.check();
    expect(again.names()).toEqual(["no-wget block"]);
    expect(again.alarms).toEqual([expect.stringContaining("is older than serial 2, which was in force. acme@2 (stable) stays in force.")]);
    author.publish(curl, { serial: 2 });
    await again.policy.check();
    expect(again.alarms.at(-1)).toContain("another content");
    // The old content under a new serial is how a policy goes back.
    author.publish(curl, { serial: 3 });
    await again.policy.check();
    expect([again.names(), again.policy.status().refused]).toEqual([["no-curl block"], undefined]);
  });

  const other = createPolicyAuthor("Mallory");
  const refusals: [string, { readonly [path: string]: string }, object, string][] = [
    ["a key that is not trusted", curl, { signer: { name: "Acme", key: other.key } }, "whose key is not"],
    ["another channel", curl, { channel: "canary" }, "for another channel"],
    ["an end in the past", curl, { notAfter: Date.now() - 1 }, "was valid until"],
    ["a rule that is wrong", { "a.toml": '[[rule]]\nname = "x"\ndo = "nothing"\n' }, {}, "cannot be used"],
    ["an example that does not hold", { "a.toml": wordRule("x", "curl").replace('"ls"', '"curl"') }, {}, "catches its example"],
    ["a hook that does not load", guard("syntax error\n"), {}, "does not start"],
    ["a hook that lets its canary pass", guard(denying, "ls"), {}, "does not deny its canary"],
    ["a hook without a manifest", { "hooks/x/readme.md": "" }, {}, "neither a HOOK.yaml"],
  ];
  it.each(refusals)("is refused with %s: the last good one stays, and an alarm says why", async (_, files, options, why) => {
    const author = createPolicyAuthor();
    author.publish(curl);
    const host = createHost();
    await host.policy.configure({ from: author.out, keys: [author.publicKey] });
    writeFileSync(join(author.out, "stable.bundle"), author.build(files, { serial: 2, ...options }));
    await host.policy.check();
    expect(host.names()).toEqual(["no-curl block"]);
    expect(host.alarms).toEqual([expect.stringContaining(why)]);
    expect(host.policy.status()).toMatchObject({ refused: expect.stringContaining(why), bundle: { serial: 1 } });
    expect(host.policy.faults()).toMatchObject([{ what: expect.stringContaining(why), denies: false }]);
    // The same bytes again are not another alarm, and the serial is not used up.
    await host.policy.check();
    expect(host.alarms).toHaveLength(1);
    author.publish({ "rules.toml": wordRule("fixed", "wget") }, { serial: 2 });
    await host.policy.check();
    expect([host.names(), host.policy.faults()]).toEqual([["fixed block"], []]);
  });

  it("is not put into force if the source changes while it is tried out", async () => {
    const [author, other] = [createPolicyAuthor(), createPolicyAuthor()];
    const host = createHost();
    author.publish(curl);
    const bytes = readFileSync(join(author.out, "stable.bundle"));
    rmSync(join(author.out, "stable.bundle"));
    await host.policy.configure({ from: author.out, keys: [author.publicKey] });
    let changed: Promise<void> | undefined;
    const distrusts = (): undefined => {
      changed = host.policy.configure({ from: other.out, keys: [other.publicKey] });
    };
    const offered = await host.policy.offer(bytes, { distrusts, channels: ["stable"] });
    expect(offered).toEqual({ state: "refused", reason: expect.stringContaining("changed while acme@1 (stable) was tried out") });
    await changed;
    expect([host.names(), host.policy.status().bundle]).toEqual([[], undefined]);
  });

  it("that was cut is refused", async () => {
    const author = createPolicyAuthor();
    const bytes = author.publish(curl);
    writeFileSync(join(author.out, "stable.bundle"), bytes.subarray(0, bytes.length / 2));
    const host = createHost();
    await host.policy.configure({ from: author.out, keys: [author.publicKey] });
    expect([host.names(), host.alarms]).toEqual([[], [expect.stringContaining("cannot be decompressed")]]);
  });

  it("that is lost on the host means that everything is denied, until the source delivers it again", async () => {
    const author = createPolicyAuthor();
    const bytes = author.publish(curl);
    const source = { from: author.out, keys: [author.publicKey] };
    const host = createHost();
    await host.policy.configure(source);
    rmSync(join(author.out, "stable.bundle"));
    for (const change of [
      () => rmSync(join(host.state, "policy-bundle.b64")),
      () => writeFileSync(join(host.state, "policy-bundle.b64"), author.build(curl, { serial: 9 }).toString("base64"), { mode: 0o600 }),
      () => rmSync(join(host.state, "policy-bundle.json")),
    ]) {
      change();
      const again = createHost(host.folder);
      await again.policy.configure(source);
      expect(again.names()).toEqual(["policy-is-stale block"]);
      expect(again.alarms[0]).toMatch(/cannot be used|is gone/);
    }
    writeFileSync(join(author.out, "stable.bundle"), bytes);
    const healed = createHost(host.folder);
    await healed.policy.configure(source);
    expect(healed.names()).toEqual(["no-curl block"]);
  });
});

describe("a bundle that is out of date", () => {
  const files = {
    "rules.toml": `${wordRule("asks", "push", "ask")}${wordRule("allows", "ls2", "allow")}${wordRule("blocks", "curl", "block")}`,
  };
  const expired: [NonNullable<AcceptedSource["onStale"]>, string[]][] = [
    ["keep", ["asks ask", "allows allow", "blocks block"]],
    ["tighten", ["asks block", "blocks block"]],
    ["closed", ["asks ask", "allows allow", "blocks block", "policy-is-stale block"]],
  ];
  it.each(expired)("is treated as %s says, by its end and by the age of its source, with an alarm", async (onStale, names) => {
    const author = createPolicyAuthor();
    author.publish(files, { notAfter: Date.now() + 2 * DAY_MS });
    const host = createHost();
    await host.policy.configure({ from: author.out, keys: [author.publicKey], onStale, maxAgeMs: DAY_MS });
    expect(host.names()).toEqual(["asks ask", "allows allow", "blocks block"]);
    const bytes = readFileSync(join(author.out, "stable.bundle"));
    rmSync(join(author.out, "stable.bundle"));
    host.pass(DAY_MS + 1);
    await host.policy.check();
    expect([host.names(), host.alarms]).toEqual([names, [expect.stringContaining("longer ago than")]]);
    // Back again.
    writeFileSync(join(author.out, "stable.bundle"), bytes);
    await host.policy.check();
    expect(host.names()).toEqual(["asks ask", "allows allow", "blocks block"]);
    host.pass(DAY_MS);
    await host.policy.check();
    expect([host.names(), host.policy.status().stale]).toEqual([names, expect.stringContaining("was valid until")]);
    expect(host.policy.faults()).toMatchObject([{ denies: onStale !== "keep" }]);
    author.publish(files, { serial: 2, notAfter: Date.now() + 9 * DAY_MS });
    await host.policy.check();
    expect([host.names(), host.policy.status().stale]).toEqual([["asks ask", "allows allow", "blocks block"], undefined]);
  });

  it("or has never arrived denies everything, unless it says keep", async () => {
    const author = createPolicyAuthor();
    for (const [onStale, names] of [
      ["keep", []],
      ["tighten", ["policy-is-stale block"]],
      ["closed", ["policy-is-stale block"]],
    ] as const) {
      const host = createHost();
      await host.policy.configure({ from: author.out, keys: [author.publicKey], onStale });
      expect([host.names(), host.policy.status().stale]).toEqual([names, "No policy bundle has arrived yet."]);
    }
  });
});

describe("a bundle of a fleet", () => {
  it("counts until the hub leaves with the command, whatever the local source and files say", async () => {
    const [fleet, local] = [createPolicyAuthor("Fleet"), createPolicyAuthor("Local")];
    local.publish({ "rules.toml": wordRule("local", "wget") });
    const source = { from: local.out, keys: [local.publicKey] };
    let isJoined = true;
    const host = createHost(testFolder(), () => isJoined);
    await host.policy.configure(source);
    expect(host.names()).toEqual([]);
    const terms = {
      channels: ["stable", "canary"],
      distrusts: ({ key }: { readonly key: string }) => (key === fleet.publicKey ? undefined : "not on the roster"),
    };
    expect(await host.policy.offer(local.build(curl), terms)).toEqual({ state: "refused", reason: "not on the roster" });
    expect(await host.policy.offer(fleet.build(curl, { channel: "canary", serial: 4 }), terms)).toMatchObject({ state: "active" });
    expect(await host.policy.offer(fleet.build(curl, { serial: 3 }), terms)).toMatchObject({ state: "refused" });
    isJoined = false;
    const again = createHost(host.folder);
    again.policy.onChanged(() => again.policy.configure(source));
    await again.policy.configure(source);
    expect(again.names()).toEqual(["no-curl block"]);
    await again.policy.rejoin();
    expect(again.names()).toEqual(["local block"]);
  });
});

describe("a bundle of a server", () => {
  it("is fetched with conditions, and a server that is down, redirects or lies changes nothing", async () => {
    const author = createPolicyAuthor();
    let answer: { status: number; body?: Buffer; headers?: Record<string, string> } = { status: 200, body: author.build(curl) };
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers["if-none-match"]);
      const { status, body = Buffer.alloc(0), headers = {} } = answer;
      const isKnown = status === 200 && request.headers["if-none-match"] === headers.etag && headers.etag !== undefined;
      response.writeHead(isKnown ? 304 : status, headers).end(isKnown ? undefined : body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/policy/`;
    answer = { ...answer, headers: { etag: '"1"' } };
    const host = createHost();
    await host.policy.configure({ from, keys: [author.publicKey] });
    await host.policy.check();
    expect(host.names()).toEqual(["no-curl block"]);
    await host.policy.check();
    expect(asked.at(-1)).toBe('"1"');
    for (const bad of [
      { status: 302, headers: { location: "http://169.254.169.254/" } },
      { status: 500 },
      { status: 200, body: Buffer.from("<html>") },
    ]) {
      answer = bad;
      await host.policy.check();
      const { failed, refused } = host.policy.status();
      expect([host.names(), `${failed} ${refused}`]).toEqual([
        ["no-curl block"],
        expect.stringMatching(/It answered (302|500)|not signed/),
      ]);
    }
    answer = { status: 200, body: author.build(curl, { serial: 2 }) };
    await host.policy.check();
    expect(host.policy.status()).toMatchObject({ bundle: { serial: 2 } });
    expect(host.policy.status()).not.toHaveProperty("failed");
  });

  it("is not fetched from a metadata service", async () => {
    const host = createHost();
    await host.policy.configure({ from: "https://169.254.169.254/policy/", keys: [createPolicyAuthor().publicKey] });
    await host.policy.check();
    expect(host.policy.status().failed).toContain("must not be called");
  });
});

/** A hub with a bundle, the user's own file and hooks, and what it answers. */
async function startFleetHub(
  bundle: { readonly [path: string]: string },
  toml = "",
  own: { readonly [path: string]: string } = {},
  more = "",
) {
  const author = createPolicyAuthor();
  author.publish(bundle);
  const home = testFolder();
  const policy = `[policy]\nfrom = "${author.out}"\nkey = "${author.publicKey}"\n${more}\n`;
  const config = putFiles(join(home, "config"), { ...own, "hookline.toml": `${toml}\n${policy}` });
  const [state, runtime] = [join(home, "state"), join(home, "run")];
  for (const folder of [state, runtime]) mkdirSync(folder, { mode: 0o700 });
  const path = join(config, "hookline.toml");
  const start = async (): Promise<Hub> => {
    const hub = await startHub({ state, runtime, config: path, port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    return hub;
  };
  const hub = await start();
  const request = async (at: string, body?: object): Promise<Record<string, unknown>> => {
    const token = hub.parts.tokens.operator;
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(new URL(at, hub.file.url), {
      ...init,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const accept = async (...ids: readonly string[]) => {
    const { changes } = (await request("/api/policy")) as unknown as PolicyAnswer;
    const wanted = changes.filter(({ id }) => ids.includes(id)).map(({ id, digest }) => ({ id, digest }));
    expect((await request("/api/policy/accept", { changes: wanted })).accepted).toEqual(ids);
  };
  let calls = 0;
  const decide = async (command: string) => {
    const asked = { tool: { name: "Bash", callId: String(++calls), input: { command } } };
    const { verdict, reason, payload } = await request("/api/decide", { event: "tool:before", payload: asked, timeoutMs: 10_000 });
    return {
      verdict,
      reason,
      command: (payload as { tool?: { input?: { command?: string } } } | undefined)?.tool?.input?.command ?? command,
    };
  };
  return { author, hub, path, config, policy, request, accept, decide };
}

describe("fleet > user > project: a lower level does not loosen", () => {
  it("a deny, with an allow, a rule or hook of the same name, a rewrite, a switch, a shadow, a pause or an always-allow", async () => {
    const toml = `${wordRule("no-curl", "curl", "allow", "priority = 1000000\n")}${wordRule("asks", "push", "allow")}[[rule]]\nname = "strip"\ntool = "Bash"\nmatch = "tool.input.command contains hidden"\ndo = "modify"\nset = { "tool.input.command" = "curl evil" }\n`;
    const own = {
      "hooks/guard/HOOK.yaml": `name: guard\nevents: ["tool:before"]\nonFailure: open\npriority: 999999\n`,
      "hooks/guard/handler.mjs": "export const handle = () => ({ decision: 'allow' });\n",
    };
    const fleet = { "rules.toml": `${wordRule("no-curl", "curl")}${wordRule("asks", "push", "ask")}`, ...guard(denying) };
    const { hub, path, request, decide, policy, config } = await startFleetHub(fleet, toml, own);
    const stillDenied = async (why: string) =>
      expect([(await decide("curl x")).verdict, (await decide("rm x")).verdict], why).toEqual(["deny", "deny"]);
    await stillDenied("allow rules and hooks of the same names");
    expect(await decide("git push")).toMatchObject({ verdict: "ask", reason: "asks says ask" });
    expect(await decide("hidden")).toMatchObject({ verdict: "deny", reason: "no-curl says block" });

    const { handlers } = (await request("/api/handlers")) as { handlers: { name: string; owner: string }[] };
    expect(handlers.filter(({ owner }) => owner.startsWith("fleet policy")).map(({ name }) => name)).toEqual(["no-curl", "asks", "guard"]);
    for (const owner of ["fleet policy", "fleet policy/guard"])
      expect(await request(`/api/handlers/${encodeURIComponent(owner)}`, { enabled: false, name: "no-curl" })).toMatchObject({
        error: { code: "HL_CONFIG" },
      });
    await stillDenied("a switch");

    // What the user's file says about rules of that name concerns the user's rules.
    for (const change of ["enabled = false", 'mode = "shadow"']) {
      writeFileSync(path, `${toml.replace("priority = 1000000\n", `${change}\n`)}\n${policy}`);
      await request("/api/policy");
      await stillDenied(change);
    }
    writeFileSync(path, policy);
    rmSync(join(config, "hooks"), { recursive: true });
    await request("/api/policy");
    await stillDenied("an empty file");

    expect(await request("/api/pause", { forMs: 60_000 })).toHaveProperty("paused");
    await stillDenied("a pause");
    expect(await decide("git push")).toMatchObject({ verdict: "ask" });
    expect(await decide("ls")).toMatchObject({ verdict: "pass" });
    await request("/api/resume", {});

    // A call that a person allows for good is one that was asked about, and a deny asks no person.
    hub.parts.alwaysAllow.add({ event: "tool:before", payload: call("curl x"), by: "no-curl", reason: "no-curl says block" }, "me");
    await stillDenied("an always-allow");
  });

  it("the source: without it, or with another, the accepted one stays, also with autoAccept", async () => {
    const { path, request, accept, decide, hub } = await startFleetHub(curl);
    const other = createPolicyAuthor("Mallory");
    other.publish({}, { serial: 7 });
    for (const toml of [
      "",
      '[policy]\nautoAccept = "all"\n',
      `[policy]\nautoAccept = "all"\nfrom = "${other.out}"\nkey = "${other.publicKey}"\n`,
      "[policy]\nfrom = 3\n",
    ]) {
      writeFileSync(path, toml);
      const { changes } = (await request("/api/policy")) as { changes: { id: string }[] };
      if (!toml.includes("from = 3")) expect(changes.map(({ id }) => id)).toContain("setting:policy.from");
      expect((await decide("curl x")).verdict, toml).toBe("deny");
    }
    expect(hub.parts.bundles.status()).toMatchObject({ bundle: { serial: 1, signer: "Acme" } });
    writeFileSync(path, "");
    await request("/api/policy");
    await accept("setting:policy.from", "setting:policy.key");
    expect((await decide("curl x")).verdict).toBe("pass");
  });

  it("a rewrite: what a user's hook or rule makes of it afterwards is denied", async () => {
    const sandbox =
      '[[rule]]\nname = "sandbox"\ntool = "Bash"\nmatch = "tool.input.command contains run"\ndo = "modify"\nset = { "tool.input.command" = "sandbox {value}" }\n';
    const twice = `${sandbox}${sandbox.replaceAll("sandbox", "nice").replace("match", "priority = 5\nmatch")}`;
    const strip =
      "export const handle = (e, c) => c.tool.input.command.includes('strip') ? { args: { command: c.tool.input.command.replace('sandbox ', '') } } : undefined;\n";
    const own = { "hooks/strip/HOOK.yaml": `name: strip\nevents: ["tool:before"]\nonFailure: open\n`, "hooks/strip/handler.mjs": strip };
    const late =
      '[[rule]]\nname = "late"\ntool = "Bash"\nmatch = "tool.input.command contains late"\ndo = "modify"\npriority = -1000\nset = { "tool.input.command" = "{value} --late" }\n';
    const { decide } = await startFleetHub({ "rules.toml": twice }, late, own);
    expect(await decide("run")).toMatchObject({ verdict: "pass", command: expect.stringMatching(/^(sandbox nice|nice sandbox) run$/) });
    // The user's own rewrites come first, so that the fleet's are the last word.
    expect(await decide("run late")).toMatchObject({ verdict: "pass", command: expect.stringMatching(/sandbox .*run late --late$/) });
    expect(await decide("run strip")).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining("fleet's policy rewrote this call"),
    });
  });

  it("a count: a reset leaves what the fleet's rules remember", async () => {
    const often = wordRule("often", "poll", "block", 'count = 2\nwithin = "1h"\n');
    const { decide, request } = await startFleetHub(
      { "rules.toml": often },
      wordRule("mine", "mine", "block", 'count = 2\nwithin = "1h"\n'),
    );
    const verdicts = async (command: string) => [await decide(command), await decide(command)].map(({ verdict }) => verdict);
    expect([await verdicts("poll x"), await verdicts("mine x")]).toEqual([
      ["pass", "deny"],
      ["pass", "deny"],
    ]);
    expect(await request("/api/rules/reset", {})).toMatchObject({ error: { code: "HL_CONFIG" } });
    expect(await request("/api/rules/reset", { rule: "often" })).toMatchObject({ error: { code: "HL_NOT_FOUND" } });
    expect(await request("/api/rules/reset", { rule: "mine" })).toEqual({ ok: true });
    expect([(await decide("poll x")).verdict, (await decide("mine x")).verdict]).toEqual(["deny", "pass"]);
  });

  it("what it hides from a result, which no transform of the user sees", async () => {
    const hide = (name: string, find: string, put: string, more = "") =>
      `[[rule]]\nname = "${name}"\nevent = "tool:result"\ndo = "replace"\nfind = "${find}"\nwith = "${put}"\n${more}`;
    const { hub } = await startFleetHub(
      { "rules.toml": hide("hides", "secret", "***") },
      hide("encodes", "secret", "s-e-c-r-e-t", "priority = 1e9\n"),
    );
    const payload = { tool: { name: "Bash", input: { command: "ls" } } };
    const { value } = await hub.parts.gates.transform({ event: "tool:result", payload, value: "a secret" });
    expect(value).toBe("a ***");
  });

  it("a question of a hook: under tighten it is denied when the policy is out of date", async () => {
    const asking = `export const handle = (e, c) => c.tool.input.command.startsWith("ls") ? { decision: "allow" } : { decision: "ask", reason: "sure?" };\n`;
    const { decide, hub, author } = await startFleetHub(guard(asking), "", {}, 'onStale = "tighten"\nmaxAge = "1s"');
    expect([(await decide("rm x")).verdict, (await decide("ls")).verdict]).toEqual(["ask", "allow"]);
    rmSync(join(author.out, "stable.bundle"));
    await expect
      .poll(
        async () => {
          await hub.parts.bundles.check();
          return [(await decide("rm x")).verdict, (await decide("ls")).verdict];
        },
        { timeout: 20_000 },
      )
      .toEqual(["deny", "pass"]);
  });

  it("a closed policy: every gate is denied with the reason, a pause changes nothing", async () => {
    const { request, hub, author } = await startFleetHub(curl, "", {}, 'onStale = "closed"\nmaxAge = "1ms"');
    rmSync(join(author.out, "stable.bundle"));
    await hub.parts.bundles.check();
    for (const event of ["tool:before", "prompt:submit"])
      for (const isPaused of [false, true]) {
        if (isPaused) await request("/api/pause", { forMs: 60_000 });
        const payload = event === "tool:before" ? call("ls") : { prompt: "hi" };
        expect(await request("/api/decide", { event, payload, timeoutMs: 10_000 })).toMatchObject({
          verdict: "deny",
          reason: expect.stringContaining("hookline policy status"),
        });
        await request("/api/resume", {});
      }
    expect((await request("/api/faults")).faults).toMatchObject([{ name: "policy", denies: true }]);
  });
});
