import { Readable } from "node:stream";

/** What every kind of output holds somewhere, and no host may get. */
export const SECRET = "s3cret-key";
/** What a guard puts in its place. */
export const HIDDEN = "***";

interface OutputKind {
  readonly name: string;
  readonly make: () => unknown;
  /** What the host gets once the secret is hidden. Without it, the output is withheld. */
  readonly becomes?: unknown;
}

const whole = (name: string, make: () => unknown, becomes: unknown): OutputKind => ({ name, make, becomes });
const withheld = (name: string, make: () => unknown): OutputKind => ({ name, make });
const HALF = SECRET.length / 2;
const HALVES = [SECRET.slice(0, HALF), SECRET.slice(HALF)];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const response = (body: BodyInit | null, init?: ResponseInit): Response => new Response(body, init);
const streamOf = (...chunks: readonly unknown[]): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

/** Data of a tool's own, in words that stand for something else between a process and the hub. */
const lookalikes = (): unknown[] => [
  { $hookline: "number", value: { toString: 1, valueOf: 1 } },
  { $hookline: "bigint", value: "1.5" },
  { $hookline: "map", entries: [1] },
];

class Field {
  key = SECRET;
}
class Private {
  readonly #key = SECRET;
  reveal(): string {
    return this.#key;
  }
}
class Accessor {
  get key(): string {
    return SECRET;
  }
}
class WithJson {
  readonly #key = SECRET;
  toJSON(): object {
    return { key: this.#key };
  }
}
class LyingJson {
  key = SECRET;
  toJSON(): object {
    return { key: "nothing" };
  }
}
class KeyError extends Error {
  key = SECRET;
}
class KeyMap extends Map<string, string> {
  override get(): string {
    return SECRET;
  }
}

function form(): FormData {
  const data = new FormData();
  data.set("key", SECRET);
  return data;
}
function nested(depth: number): unknown {
  return depth === 0 ? SECRET : [nested(depth - 1)];
}
function* pieces() {
  yield* HALVES;
}
async function* later() {
  yield* HALVES;
}
async function* steps() {
  yield { text: SECRET };
}
function changing(): object {
  let reads = 0;
  return {
    get key() {
      return reads++ === 0 ? "nothing" : SECRET;
    },
  };
}

/** What tools return: JSON, what JSON says in other words or leaves out, and what gives its content only once. */
export const outputKinds: readonly OutputKind[] = [
  whole("what is no marker", () => ({ key: SECRET, odd: lookalikes() }), { key: HIDDEN, odd: lookalikes() }),
  whole("text", () => SECRET, HIDDEN),
  whole("an object", () => ({ a: { key: SECRET } }), { a: { key: HIDDEN } }),
  whole("an object without a prototype", () => Object.assign(Object.create(null), { key: SECRET }), { key: HIDDEN }),
  whole("a list", () => [1, [SECRET]], [1, [HIDDEN]]),
  whole("a list with holes", () => Object.assign(new Array(2), { 1: SECRET }), [undefined, HIDDEN]),
  whole("a list with a field", () => Object.assign(["a"], { key: SECRET }), ["a"]),
  whole(
    "the arguments of a function",
    () =>
      Reflect.apply(
        function (..._: unknown[]) {
          // biome-ignore lint/complexity/noArguments: the very object is meant
          return arguments;
        },
        undefined,
        [SECRET],
      ),
    HIDDEN,
  ),
  whole("boxed text", () => Object(SECRET), HIDDEN),
  whole("boxed text with a field", () => Object.assign(Object("a"), { key: SECRET }), "a"),
  whole(
    "a getter",
    () => ({
      get key() {
        return SECRET;
      },
    }),
    { key: HIDDEN },
  ),
  whole("a getter that says something else later", changing, { key: "nothing" }),
  whole("a field that is not enumerable", () => Object.defineProperty({ a: 1 }, "key", { value: SECRET }), { a: 1 }),
  whole("a symbol as the name of a field", () => ({ a: 1, [Symbol("key")]: SECRET }), { a: 1 }),
  whole("toJSON", () => ({ toJSON: () => ({ key: SECRET }) }), { key: HIDDEN }),
  whole("a class with toJSON", () => new WithJson(), { key: HIDDEN }),
  whole("a toJSON that leaves something out", () => new LyingJson(), { key: "nothing" }),
  whole("a Map's value", () => new Map([["key", SECRET]]), new Map([["key", HIDDEN]])),
  whole("a Map's key", () => new Map([[SECRET, 1]]), new Map([[HIDDEN, 1]])),
  whole("a Map with a field", () => Object.assign(new Map([["a", 1]]), { key: SECRET }), new Map([["a", 1]])),
  whole("a class of Map", () => new KeyMap([["a", "b"]]), new Map([["a", "b"]])),
  whole("a Set", () => new Set([{ key: SECRET }]), new Set([{ key: HIDDEN }])),
  whole("a date with a field", () => Object.assign(new Date(0), { key: SECRET }), new Date(0)),
  whole("an Error's message", () => new Error(SECRET), { name: "Error", message: HIDDEN }),
  whole("an Error's cause", () => new Error("a", { cause: { key: SECRET } }), { name: "Error", message: "a", cause: { key: HIDDEN } }),
  whole("an Error's field", () => new KeyError("a"), { name: "Error", message: "a", key: HIDDEN }),
  whole("an AggregateError", () => new AggregateError([new TypeError(SECRET)], "a"), {
    name: "AggregateError",
    message: "a",
    errors: [{ name: "TypeError", message: HIDDEN }],
  }),
  whole("a regular expression", () => new RegExp(SECRET), `/${HIDDEN}/`),
  whole("a URL", () => new URL(`https://x.test/?key=${SECRET}`), `https://x.test/?key=${HIDDEN}`),
  whole("URLSearchParams", () => new URLSearchParams({ key: SECRET }), `key=${HIDDEN}`),
  whole("Headers", () => new Headers({ key: SECRET }), { key: HIDDEN }),
  whole("FormData", form, [["key", HIDDEN]]),
  whole("FormData with a file", () => {
    const data = new FormData();
    data.set("file", new File([SECRET], "a.txt", { type: "text/plain" }));
    return data;
  }, [["file", { name: "a.txt", type: "text/plain", content: HIDDEN }]]),
  whole("a Blob", () => new Blob([SECRET]), { type: "", content: HIDDEN }),
  whole("a Request", () => new Request("https://x.test/", { method: "POST", body: SECRET, headers: { "content-type": "text/plain" } }), {
    method: "POST",
    url: "https://x.test/",
    headers: { "content-type": "text/plain" },
    body: HIDDEN,
  }),
  whole("a Response", () => response(SECRET, { status: 403, statusText: "no", headers: { "content-type": "text/plain" } }), {
    status: 403,
    statusText: "no",
    url: "",
    headers: { "content-type": "text/plain" },
    body: HIDDEN,
  }),
  whole("a Response's header", () => response(null, { headers: { key: SECRET } }), {
    status: 200,
    statusText: "",
    url: "",
    headers: { key: HIDDEN },
    body: "",
  }),
  whole("a Response in an object", () => ({ answer: response(SECRET, { headers: { "content-type": "text/plain" } }) }), {
    answer: { status: 200, statusText: "", url: "", headers: { "content-type": "text/plain" }, body: HIDDEN },
  }),
  whole("a ReadableStream of text", () => streamOf(...HALVES), HIDDEN),
  whole("a ReadableStream of bytes", () => streamOf(...HALVES.map(bytes)), bytes(HIDDEN)),
  whole("a ReadableStream of text and bytes", () => streamOf(HALVES[0], bytes(HALVES[1] as string)), bytes(HIDDEN)),
  whole("a ReadableStream of objects", () => streamOf({ key: SECRET }), [{ key: HIDDEN }]),
  whole("a ReadableStream in an object", () => ({ body: streamOf(...HALVES) }), { body: HIDDEN }),
  whole("a stream of Node", () => Readable.from(HALVES), HIDDEN),
  whole("a generator", pieces, HIDDEN),
  whole("an async generator", later, HIDDEN),
  whole("an async generator of objects", steps, [{ text: HIDDEN }]),
  whole("an async generator in a list", () => [later()], [HIDDEN]),
  whole("an object with an async iterator", () => ({ [Symbol.asyncIterator]: later }), HIDDEN),
  whole("the iterator of a Map", () => new Map([["a", SECRET]]).values(), HIDDEN),
  whole("an object with an iterator", () => ({ list: { [Symbol.iterator]: pieces } }), { list: HIDDEN }),
  whole("a promise in an object", () => ({ key: Promise.resolve(SECRET) }), { key: HIDDEN }),
  whole("a promise of a promise in a list", () => [Promise.resolve({ key: Promise.resolve(SECRET) })], [{ key: HIDDEN }]),
  whole("a foreign promise in an object", () => ({ key: { then: (resolve: (value: string) => void) => resolve(SECRET) } }), {
    key: HIDDEN,
  }),
  whole("bytes", () => bytes(SECRET), bytes(HIDDEN)),
  whole("a Buffer", () => Buffer.from(SECRET), Buffer.from(HIDDEN)),
  whole(
    "memory that threads share",
    () => {
      const shared = new Uint8Array(new SharedArrayBuffer(SECRET.length));
      shared.set(bytes(SECRET));
      return shared;
    },
    bytes(HIDDEN),
  ),
  whole("bytes with a field", () => Object.assign(bytes("a"), { key: SECRET }), bytes("a")),
  whole("a Buffer with a field", () => Object.assign(Buffer.from("a"), { key: SECRET }), Buffer.from("a")),
  whole("bytes in an object", () => ({ body: bytes(SECRET) }), { body: bytes(HIDDEN) }),
  whole("an ArrayBuffer", () => bytes(SECRET).buffer, bytes(HIDDEN).buffer),
  withheld("a private field", () => new Private()),
  withheld("a private field in an object", () => ({ key: new Private() })),
  withheld("an accessor of a class", () => new Accessor()),
  withheld("an object of a class", () => new Field()),
  withheld("inherited fields", () => Object.create({ key: SECRET })),
  withheld("a function", () => () => SECRET),
  withheld("a function with a property", () => Object.assign(() => 1, { key: SECRET })),
  withheld("a method", () => ({ reveal: () => SECRET })),
  withheld("a symbol", () => Symbol(SECRET)),
  withheld("a WeakRef", () => new WeakRef({ key: SECRET })),
  withheld("a WeakMap", () => new WeakMap([[{}, SECRET]])),
  withheld("too many levels", () => nested(70)),
  withheld("a getter that throws", () => ({
    get key() {
      throw new Error(SECRET);
    },
  })),
  withheld("a revoked proxy in an object", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return { proxy };
  }),
  withheld("a body that was read", () => {
    const answer = response(SECRET);
    void answer.text();
    return { answer };
  }),
];

/** All that somebody who has a value can get out of it, as text. */
export async function allTextIn(value: unknown, depth = 0): Promise<string> {
  if (typeof value === "symbol") return String(value.description);
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return String(value);
  if (depth > 80) return "";
  const parts: unknown[] = await Promise.all(Reflect.ownKeys(value).map(async (key) => [String(key), await (value as never)[key]]));
  if (typeof value === "function") parts.push(Function.prototype.toString.call(value));
  if (value instanceof Map || value instanceof Set) parts.push([...value].flat());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) parts.push(Buffer.from(value as ArrayBuffer).toString());
  const { reveal, text, next } = value as { readonly [name: string]: unknown };
  for (const method of [reveal, text]) if (typeof method === "function") parts.push(await method.call(value));
  if (Symbol.asyncIterator in value || typeof next === "function")
    for await (const piece of value as AsyncIterable<unknown>) parts.push(piece);
  const texts = await Promise.all(parts.flat().map((part) => allTextIn(part, depth + 1)));
  return texts.join(" ");
}
