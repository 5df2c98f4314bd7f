import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../../../test/support/http-hub.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { deriveKey, newRecoveryCode, passphraseFault, readRecoveryCode, type SecretKey } from "../../cli/protect/derived-key.js";
import { canSeeProcesses } from "../auth/processes.js";
import { MODE_MEANS, type Mode } from "../mode.js";
import { CONFIRM_HEADER, type Confirmed, type ConfirmNeeded, confirmText } from "../protocol.js";
import { CHALLENGE_MS, createChallenges } from "./challenges.js";
import { decodeBase32, totpCode, totpStep } from "./totp.js";

const SALT = Buffer.alloc(16, 7).toString("base64url");
const CODE = newRecoveryCode();
let [passphrase, recovery, other]: SecretKey[] = [];

beforeAll(async () => {
  [passphrase, recovery, other] = await Promise.all([
    deriveKey("correct horse battery staple", SALT),
    deriveKey(CODE, SALT),
    deriveKey("a guess of the agent's", SALT),
  ]);
});

const stored = ({ publicKey }: SecretKey | undefined = passphrase as SecretKey) => ({ salt: SALT, publicKey });
const on = () => ({ passphrase: stored(passphrase), recovery: stored(recovery) });

interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever an answer holds.
  readonly json: any;
}

async function startIn(state: string, mode?: Mode): Promise<Hub> {
  const config = join(state, "..", "hookline.toml");
  writeFileSync(config, "");
  const hub = await startHub({ state, port: 0, config, ...(mode !== undefined && { mode }), onProblem: () => {} });
  onTestFinished(() => hub.close());
  return hub;
}

/** Sends a request as every process of the user can: with the token of operator.json. */
async function post(hub: Hub, path: string, body: object | string, confirmation?: object): Promise<Told> {
  const answer = await fetch(`${hub.file.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${hub.parts.tokens.operator}`,
      "content-type": "application/json",
      connection: "close",
      ...(confirmation && { [CONFIRM_HEADER]: Buffer.from(JSON.stringify(confirmation)).toString("base64url") }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

interface Signing {
  readonly key?: SecretKey | undefined;
  readonly factor?: string;
  /** What is signed in place of the request. */
  readonly instead?: Partial<Confirmed>;
}

/** The confirmation of a request, as the command line makes it. */
function sign(
  path: string,
  body: object,
  { challenge, allows }: ConfirmNeeded,
  { key = passphrase, factor = "passphrase", instead }: Signing = {},
) {
  const confirmed = { challenge, method: "POST", path, body: digestOf(JSON.stringify(body)), allows: digestOf(allows), ...instead };
  return { challenge: confirmed.challenge, allows: confirmed.allows, factor, signature: (key as SecretKey).sign(confirmText(confirmed)) };
}

async function challengeFor(hub: Hub, path: string, body: object): Promise<ConfirmNeeded> {
  const { status, json } = await post(hub, path, body);
  expect([status, json.error.code]).toEqual([401, "HL_CONFIRM"]);
  return json.error.confirm;
}

async function confirmed(hub: Hub, path: string, body: object, signing?: Signing): Promise<Told> {
  return post(hub, path, body, sign(path, body, await challengeFor(hub, path, body), signing));
}

const alarmsOf = (hub: Hub) => hub.parts.alarms.list().alarms.map(({ text }) => text);
const PAUSE = { forMs: 60_000, by: "me" };

describe("challenges", () => {
  it("are for one text, work once, and for two minutes", () => {
    let now = 1_000;
    const challenges = createChallenges(() => now);
    const [first, second] = [challenges.issue("a"), challenges.issue("a")];
    expect(first).not.toBe(second);
    expect([challenges.check(first, "a"), challenges.check(first, "b"), createChallenges().check(first, "a")]).toEqual([
      "good",
      "foreign",
      "foreign",
    ]);
    for (const text of ["", "x", first.slice(1), `${first}=`, `${first}A`]) expect(challenges.check(text, "a")).toBe("foreign");
    challenges.use(first);
    expect([challenges.check(first, "a"), challenges.check(second, "a")]).toEqual(["used", "good"]);
    now += CHALLENGE_MS;
    expect(challenges.check(second, "a")).toBe("expired");
  });
});

it("does not take one-time passwords where a program of the same user could read the secret", async () => {
  const hub = await startIn(join(testFolder(), "state"));
  const totp = { secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", code: "123456" };
  const { status, json } = await post(hub, "/api/protect/on", { totp, recovery: stored(recovery) });
  expect([status, json.error.message]).toEqual([400, expect.stringContaining("managed mode only")]);
  expect(hub.parts.protect.isOn).toBe(false);
});

/** Guesses codes, and prints the status of each answer: guess.mjs <url> <token> <how many> <code> */
const GUESSER = `
import { createHash } from "node:crypto";
const [url, token, count, code] = process.argv.slice(1);
const post = (more) => fetch(url + "/api/operate/confirm", {
  method: "POST",
  headers: { authorization: "Bearer " + token, "content-type": "application/json", connection: "close", ...more },
  body: JSON.stringify({ action: "x" }),
});
const statuses = [];
for (let tried = 0; tried < Number(count); tried++) {
  const { error: { confirm: { challenge, allows } } } = await (await post({})).json();
  const given = { challenge, allows: createHash("sha256").update(allows).digest("hex"), factor: "totp", code };
  statuses.push((await post({ "${CONFIRM_HEADER}": Buffer.from(JSON.stringify(given)).toString("base64url") })).status);
}
console.log(JSON.stringify(statuses));
`;

it.runIf(canSeeProcesses)(
  "does not lock the owner out for the wrong codes of another program, and counts those of all programs",
  async () => {
    const hub = await startIn(join(testFolder(), "state"), "managed");
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const start = totpStep(Date.now()) - 1;
    const code = (later: number) => totpCode(decodeBase32(secret), start + later);
    expect((await post(hub, "/api/protect/on", { totp: { secret, code: code(0) }, recovery: stored(recovery) })).status).toBe(200);
    const wrong = ["000000", "000001", "000002", "000003"].find((guess) => ![0, 1, 2, 3].some((later) => code(later) === guess)) ?? "";
    /** `detached`: in a session of its own, as another terminal's programs. */
    const guess = async (count: number, { given = wrong, detached = true } = {}): Promise<readonly number[]> => {
      const args = ["--input-type=module", "-e", GUESSER, hub.file.url, hub.parts.tokens.operator, `${count}`, given];
      const child = spawn(process.execPath, args, { detached, stdio: ["ignore", "pipe", "inherit"] });
      const [answer] = (await once(child.stdout, "data")) as [Buffer];
      return JSON.parse(String(answer)) as number[];
    };
    expect(await guess(6)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(await guess(1, { given: code(1), detached: false })).toEqual([200]);
    // From now on the owner's session is known, and no number of others stops it.
    expect(await guess(6)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(await guess(6)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(await guess(1)).toEqual([429]);
    expect(await guess(1, { given: code(2), detached: false })).toEqual([200]);
  },
);

it("says what the hub's own mode means, not that of protect alone", async () => {
  const hub = await startIn(join(testFolder(), "state"), "managed");
  expect(hub.parts.protect.facts()).toMatchObject({ isOn: false, means: MODE_MEANS.managed });
});

describe("secrets", () => {
  it("are the same key however they were typed, and too easy ones are not taken", async () => {
    const typed = CODE.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    expect(readRecoveryCode(typed)).toBe(CODE);
    expect(CODE).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect((await deriveKey("ﬁne Å words to type", SALT)).publicKey).toBe((await deriveKey("fine A\u030a words to type", SALT)).publicKey);
    for (const easy of ["", "short", "aaaaaaaaaaaaaaaaaaaa", "abababababababababab", "abcdefghijklmnopqr", "12345678901234567890"])
      expect([easy, passphraseFault(easy)]).toEqual([easy, expect.any(String)]);
    for (const good of ["correct horse battery staple", "Tr0ub4dor&3-and-more", "ein langer Satz für mich"])
      expect([good, passphraseFault(good)]).toEqual([good, undefined]);
  });
});

describe("with protect on", () => {
  it("the token of operator.json alone changes nothing; a confirmation counts for exactly its request, once", async () => {
    const state = join(testFolder(), "state");
    const hub = await startIn(state);
    expect(await post(hub, "/api/operate/confirm", { action: "Attach." })).toEqual({ status: 200, json: {} });
    expect((await post(hub, "/api/protect/recover", on())).status).toBe(409);
    expect((await post(hub, "/api/protect/on", { recovery: stored(recovery) })).status).toBe(400);
    expect((await post(hub, "/api/protect/on", on())).json).toMatchObject({ isOn: true, passphrase: true, passkeys: [] });
    expect(
      (
        await fetch(`${hub.file.url}/api/status`, { headers: { authorization: `Bearer ${hub.parts.tokens.operator}` } }).then((r) =>
          r.json(),
        )
      ).mode,
    ).toBe("protect");
    // What is stored is public, and for its owner alone.
    expect(statSync(join(state, "protect.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(state, "protect.json"), "utf8")).not.toContain(CODE.slice(0, 4));

    for (const [path, body] of [
      ["/api/pause", PAUSE],
      ["/api/protect/off", {}],
      ["/api/protect/recovery", { recovery: stored(other) }],
      ["/api/protect/factors", { passphrase: stored(other) }],
      ["/api/protect/recover", on()],
      ["/api/token/rotate", {}],
      ["/api/stop", {}],
      ["/api/operate/confirm", { action: "Detach." }],
      ["/api/alarms/acknowledge", { ids: [] }],
      ["/api/policy/accept", { changes: [] }],
      ["/api/logout", { everywhere: true }],
    ] as const)
      expect([path, (await post(hub, path, body)).json.error.code]).toEqual([path, "HL_CONFIRM"]);
    expect(hub.parts.pause.current()).toBeUndefined();

    const needed = await challengeFor(hub, "/api/pause", PAUSE);
    expect(needed).toMatchObject({ allows: "Pause the hub's guards for 1 minute: every call passes.", factors: { passphrase: stored() } });
    const good = sign("/api/pause", PAUSE, needed);
    const attempts: readonly (readonly [string, object, object, string])[] = [
      ["/api/pause", { ...PAUSE, forMs: 600_000 }, good, "it was made for something else"],
      ["/api/stop", {}, good, "it was made for something else"],
      ["/api/pause?x=1", PAUSE, good, ""],
      ["/api/pause", PAUSE, sign("/api/pause", PAUSE, needed, { key: other }), "it is not signed by a factor of the operator"],
      [
        "/api/pause",
        PAUSE,
        sign("/api/pause", PAUSE, needed, { key: recovery, factor: "recovery" }),
        "it is not signed by a factor of the operator",
      ],
      ["/api/pause", PAUSE, { ...good, factor: "recovery" }, "it is not signed by a factor of the operator"],
      ["/api/pause", PAUSE, { ...good, allows: digestOf("Nothing.") }, "it was made for something else"],
      [
        "/api/pause",
        PAUSE,
        sign("/api/pause", PAUSE, needed, { instead: { body: digestOf("{}") } }),
        "it is not signed by a factor of the operator",
      ],
      ["/api/pause", PAUSE, { challenge: needed.challenge }, "it is malformed"],
    ];
    for (const [path, body, confirmation, why] of attempts) {
      const { status, json } = await post(hub, path, body, confirmation);
      if (why === "") expect(status).toBe(400);
      else
        expect([status, json.error.code, json.error.message]).toEqual([403, "HL_NOT_CONFIRMED", `The confirmation was refused: ${why}.`]);
      if (why !== "") expect(alarmsOf(hub)).toContain(`A confirmation was refused: ${why}.`);
    }
    expect(hub.parts.pause.current()).toBeUndefined();

    expect((await post(hub, "/api/pause", PAUSE, good)).status).toBe(200);
    expect(hub.parts.pause.current()).toMatchObject({ by: "me" });
    expect((await post(hub, "/api/pause", PAUSE, good)).json.error.message).toContain("it was used before");
    expect(await confirmed(hub, "/api/operate/confirm", { action: "Detach." })).toEqual({ status: 200, json: { factor: "passphrase" } });
    await until(async () => {
      const { events } = await hub.parts.store.page({ events: ["permission:refused"] });
      return events.some(({ body }) => body.includes("it was used before"));
    });

    expect((await confirmed(hub, "/api/protect/off", {})).json).toMatchObject({ isOn: false });
    expect((await post(hub, "/api/pause", PAUSE)).status).toBe(200);
    expect(alarmsOf(hub)[0]).toBe("hookline protect was turned off.");
    await until(async () => {
      const { events } = await hub.parts.store.page({ events: ["notification:sent"] });
      return events.some(({ body }) => body.includes("hookline protect was turned on with a passphrase."));
    });
  });

  it("a file that changes while the hub runs is ignored, raises an alarm and is put back", async () => {
    const state = join(testFolder(), "state");
    const hub = await startIn(state);
    await post(hub, "/api/protect/on", on());
    const path = join(state, "protect.json");
    const before = readFileSync(path, "utf8");
    const isBack = (): boolean => {
      try {
        return readFileSync(path, "utf8") === before;
      } catch {
        return false;
      }
    };
    for (const [change, word] of [
      [() => rmSync(path), "was removed"],
      [() => writeFileSync(path, before.replace(stored(passphrase).publicKey, stored(other).publicKey)), "was changed"],
      // A read of a pipe would never end.
      [() => execFileSync("sh", ["-c", `rm ${path}; mkfifo ${path}`]), "was changed"],
    ] as const) {
      const count = () =>
        hub.parts.alarms
          .list()
          .alarms.filter(({ text }) => text.includes(word))
          .reduce((sum, alarm) => sum + alarm.count, 0);
      const known = count();
      change();
      await until(() => count() > known && statSync(path, { throwIfNoEntry: false })?.isFile() === true && isBack());
      expect((await confirmed(hub, "/api/pause", PAUSE, { key: other })).status).toBe(403);
      expect((await confirmed(hub, "/api/pause", PAUSE)).status).toBe(200);
    }
  });

  it("a restart keeps it; a file that changed meanwhile locks the hub until the recovery code, which works once", async () => {
    const state = join(testFolder(), "state");
    const path = join(state, "protect.json");
    const first = await startIn(state);
    await post(first, "/api/protect/on", on());
    await first.close();
    const second = await startIn(state);
    expect(alarmsOf(second)).toEqual([]);
    expect((await confirmed(second, "/api/pause", PAUSE)).status).toBe(200);
    await second.close();
    const planted = readFileSync(path, "utf8")
      .replaceAll(stored(passphrase).publicKey, stored(other).publicKey)
      .replaceAll(stored(recovery).publicKey, stored(other).publicKey);
    for (const change of [() => rmSync(path), () => writeFileSync(path, planted), () => writeFileSync(path, "{}")]) {
      change();
      const hub = await startIn(state);
      const { status, json } = await post(hub, "/api/pause", PAUSE);
      expect([status, json.error.code, json.error.fix]).toEqual([403, "HL_PROTECT_LOCKED", "Run: hookline protect recover"]);
      expect(alarmsOf(hub)[0]).toContain("while the hub was stopped");
      const next = { passphrase: stored(passphrase), recovery: stored(recovery) };
      for (const wrong of [
        { key: other, factor: "recovery" },
        { key: passphrase, factor: "passphrase" },
      ])
        expect((await confirmed(hub, "/api/protect/recover", next, wrong)).status).toBe(403);
      if (json.error.message.includes("removed")) {
        await hub.close();
        continue;
      }
      expect((await confirmed(hub, "/api/protect/recover", next, { key: recovery, factor: "recovery" })).json).toMatchObject({
        isOn: true,
      });
      expect((await confirmed(hub, "/api/pause", PAUSE)).status).toBe(200);
      hub.parts.alarms.acknowledge("a person");
      await hub.close();
    }
    const last = await startIn(state);
    const renewed = { passphrase: stored(passphrase), recovery: stored(other) };
    expect((await confirmed(last, "/api/protect/recover", renewed, { key: recovery, factor: "recovery" })).status).toBe(200);
    expect((await confirmed(last, "/api/protect/recover", renewed, { key: recovery, factor: "recovery" })).status).toBe(403);
  });
});
