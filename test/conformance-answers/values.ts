// Values that JSON does not carry, by name. Loaded by the test and by every hook in JavaScript.
import { ask, block, inject, modify } from "../../packages/core/dist/index.js";

type Settle = (value?: unknown) => void;

const thenable = (value: unknown) => ({ then: (resolve: Settle) => resolve(value) });
const refusing = (message: string) => ({ then: (_: Settle, reject: Settle) => reject(new Error(message)) });
class Verdict {
  readonly #word: string;
  constructor(word: string) {
    this.#word = word;
  }
  get decision(): string {
    return this.#word;
  }
}
class Fields {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}
class Words extends Array<unknown> {}
const cyclic = (fields: object) => {
  const made: Record<string, unknown> = { ...fields };
  made.self = made;
  return made;
};
const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : [nested(depth - 1, inner)]);
const hidden = (fields: object) =>
  Object.defineProperties({}, Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, { value }])));
const twoFaced = (first: string, then: string) => {
  let looks = 0;
  return {
    get decision() {
      return looks++ === 0 ? first : then;
    },
  };
};
const throwing = () =>
  new Proxy(
    {},
    {
      get() {
        throw new Error("no");
      },
      has: () => true,
    },
  );

/** `[kind, make]`: values of one kind mean the same in every language that has them. */
export const values: { readonly [name: string]: readonly [kind: string, make: () => unknown] } = {
  undefined: ["nothing", () => undefined],
  error: ["error", () => new Error("policy server down")],
  "type error": ["error", () => new TypeError("x is not a function")],
  "error with a cause": ["error", () => new Error("a", { cause: new Error("b") })],
  "aggregate error": ["error", () => new AggregateError([new Error("a")], "several")],
  "dom exception": ["error", () => new DOMException("gone", "AbortError")],
  "error of a class": ["error", () => new (class PolicyError extends Error {})("no")],
  "error in a list": ["error", () => [new Error("a")]],
  "error beside text": ["error", () => [inject("careful"), new Error("a")]],
  "promise of an error": ["error", () => Promise.resolve(new Error("a"))],
  "allowed undefined": ["undefined member", () => ({ allowed: undefined })],
  "allow undefined": ["undefined member", () => ({ allow: undefined })],
  "decision undefined": ["undefined member", () => ({ decision: undefined })],
  "verdict undefined": ["undefined member", () => ({ verdict: undefined })],
  "action undefined": ["undefined member", () => ({ action: undefined })],
  "permission undefined": ["undefined member", () => ({ permissionDecision: undefined })],
  "continue undefined": ["undefined member", () => ({ continue: undefined })],
  "block undefined": ["absent no", () => ({ block: undefined })],
  "denied undefined": ["absent remark", () => ({ denied: undefined })],
  "thenable of a deny": ["awaited deny", () => thenable({ decision: "deny" })],
  "thenable of a block": ["awaited deny", () => thenable(block("no"))],
  "thenable of false": ["awaited deny", () => thenable(false)],
  "thenable of a thenable": ["awaited deny", () => thenable(thenable({ deny: "no" }))],
  "thenable of an instance": ["awaited deny", () => thenable(new Verdict("deny"))],
  "thenable whose then is read once": [
    "awaited deny",
    () => {
      let reads = 0;
      return {
        get then() {
          return reads++ === 0 ? (resolve: Settle) => resolve({ decision: "deny" }) : undefined;
        },
      };
    },
  ],
  "promise of a deny": ["awaited deny", () => Promise.resolve({ decision: "deny" })],
  "promise whose then lies": ["awaited deny", () => Object.assign(Promise.resolve(block("no")), { then: (resolve: Settle) => resolve() })],
  "late promise of a deny": ["awaited deny", () => new Promise((resolve) => setImmediate(resolve, { block: true }))],
  "thenable of nothing": ["awaited nothing", () => thenable(undefined)],
  "promise of nothing": ["awaited nothing", () => Promise.resolve()],
  "thenable of an allow": ["awaited allow", () => thenable({ decision: "allow" })],
  "promise of an allow": ["awaited allow", () => Promise.resolve({ decision: "allow" })],
  "thenable of a question": ["awaited ask", () => thenable(ask("sure?"))],
  "thenable of a map": ["instance", () => thenable(new Map([["decision", "deny"]]))],
  "thenable that rejects": ["rejection", () => refusing("no")],
  "promise that rejects": ["rejection", () => Promise.reject(new Error("no"))],
  "then that throws": [
    "rejection",
    () => ({
      then() {
        throw new Error("no");
      },
    }),
  ],
  "promise in a list": ["promise within", () => [Promise.resolve(block("no"))]],
  "promise in a member": ["promise within", () => ({ decision: Promise.resolve("deny") })],
  "then that cannot be read": [
    "unreadable",
    () => ({
      get then() {
        throw new Error("no");
      },
    }),
  ],
  "then beside a verdict": ["rejection", () => Object.assign(refusing("no"), { decision: "allow" })],
  "response 403": ["instance", () => new Response(null, { status: 403 })],
  "response 200": ["instance", () => new Response("ok")],
  headers: ["instance", () => new Headers({ decision: "deny" })],
  map: ["instance", () => new Map([["decision", "deny"]])],
  "empty map": ["instance", () => new Map()],
  "weak map": ["instance", () => new WeakMap()],
  set: ["set", () => new Set(["deny"])],
  url: ["instance", () => new URL("https://example.com/deny")],
  date: ["instance", () => new Date(0)],
  "regular expression": ["instance", () => /deny/],
  "form data": ["instance", () => new FormData()],
  "search parameters": ["instance", () => new URLSearchParams("decision=deny")],
  blob: ["instance", () => new Blob(["deny"])],
  bytes: ["bytes", () => new Uint8Array([1])],
  "array buffer": ["bytes", () => new ArrayBuffer(2)],
  function: ["function", () => () => ({ decision: "deny" })],
  class: ["function", () => Verdict],
  symbol: ["function", () => Symbol("deny")],
  "thenable function": ["function", () => Object.assign(() => {}, { then: () => {} })],
  generator: [
    "generator",
    () =>
      (function* () {
        yield { decision: "deny" };
      })(),
  ],
  "asynchronous generator": [
    "generator",
    () =>
      (async function* () {
        yield { decision: "deny" };
      })(),
  ],
  NaN: ["not a number", () => Number.NaN],
  infinity: ["not a number", () => Number.POSITIVE_INFINITY],
  "big integer": ["big integer", () => 1n],
  "abort controller": ["instance", () => new AbortController()],
  "instance that denies": ["instance with fields", () => new Fields({ decision: "deny" })],
  "instance that denies by a getter": ["getter deny", () => new Verdict("deny")],
  "instance that blocks by a getter": [
    "getter deny",
    () => ({
      get block() {
        return "no";
      },
    }),
  ],
  "instance that refuses by a getter": [
    "getter deny",
    () => ({
      get allowed() {
        return false;
      },
    }),
  ],
  "inherited deny": ["getter deny", () => Object.create({ decision: "deny" })],
  "hidden deny": ["getter deny", () => hidden({ decision: "deny" })],
  "deny, then allow": ["getter deny", () => twoFaced("deny", "allow")],
  "deny in a list of a class": ["getter deny", () => Words.from([{ deny: true }])],
  "null prototype": ["getter deny", () => Object.assign(Object.create(null), { decision: "deny" })],
  "cyclic deny": ["getter deny", () => cyclic({ decision: "deny" })],
  "deny beside a map": ["getter deny", () => ({ decision: "deny", seen: new Map() })],
  "deny beside NaN": ["getter deny", () => ({ decision: "deny", score: Number.NaN })],
  "deny with toJSON": ["getter deny", () => ({ decision: "deny", toJSON: () => ({ decision: "allow" }) })],
  "instance that allows by a getter": ["getter allow", () => new Verdict("allow")],
  "allow beside a map": ["getter allow", () => ({ decision: "allow", seen: new Map() })],
  "allow beside an error": ["getter ask", () => ({ decision: "allow", error: new Error("down") })],
  "allow, asked in a symbol": ["getter allow", () => ({ decision: "allow", [Symbol("ask")]: true })],
  "instance that asks by a getter": ["getter ask", () => new Verdict("defer")],
  "unknown word by a getter": ["unreadable", () => new Verdict("maybe")],
  "boxed deny": ["unreadable", () => ({ decision: new String("deny") })],
  "word as a function": ["unreadable", () => ({ decision: () => "deny" })],
  "allowed NaN": ["unreadable", () => ({ allowed: Number.NaN })],
  "denied as a big integer": ["unreadable", () => ({ denied: 1n })],
  "denied as a map": ["unreadable", () => ({ denied: new Map() })],
  "proxy of an allow": ["getter allow", () => new Proxy({ decision: "allow" }, {})],
  "proxy that throws": ["unreadable", throwing],
  "revoked proxy": [
    "unreadable",
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
  "getter that throws": [
    "unreadable",
    () => ({
      get decision() {
        throw new Error("no");
      },
    }),
  ],
  "lists 40 deep": ["unreadable", () => nested(40, block("no"))],
  "a list that holds itself": [
    "unreadable",
    () => {
      const list: unknown[] = [];
      list.push(list);
      return list;
    },
  ],
  "2,000 parts": ["unreadable", () => Array.from({ length: 2_000 }, () => inject("x"))],
  "outcome deny": ["getter deny", () => block("no")],
  "outcome in a list": ["getter deny", () => [inject("careful"), block("no")]],
  "outcome ask": ["getter ask", () => ask("sure?")],
  "outcome of no kind": ["unreadable", () => ({ [Symbol.for("hookline.outcome")]: true, kind: "DENY" })],
  "modify to nothing": ["unreadable", () => modify(undefined)],
  "modify to a map": ["unreadable", () => modify(new Map())],
  "modify to a function": ["unreadable", () => modify(() => {})],
  "arguments as a set": ["input without JSON", () => ({ args: new Set(["ls"]) })],
};
