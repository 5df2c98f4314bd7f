import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HookError } from "../catalog/errors.js";
import { compileExpression } from "./expression.js";
import { nativeRegex } from "./regex.js";
import { requiredTexts, type TextCondition } from "./required-texts.js";
import { compileToolScope } from "./tool-scope.js";

type Node =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "compare"; readonly path: string; readonly sign: "==" | "!=" | "contains"; readonly value: string }
  | { readonly kind: "not"; readonly inner: Node }
  | { readonly kind: "and"; readonly left: Node; readonly right: Node }
  | { readonly kind: "or"; readonly left: Node; readonly right: Node };

interface Payload {
  readonly tool: { readonly name: string; readonly input: { readonly [key: string]: string | number | boolean | readonly string[] } };
  readonly target?: string;
}

const names = ["Bash", "bash", "Read", "Edit"];
const paths = ["tool.name", "tool.input.a", "tool.args.b", "target", "tool.input.missing"];
const values = fc.oneof(
  fc.constantFrom("", "Bash", "bASH", "x", "1", "true", "a b", "it's", '"', "\\", "\\\\", "&&", ")", "'\\'"),
  fc.string({ maxLength: 6 }),
);

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant("name" as const), name: fc.constantFrom(...names) }),
    fc.record({ kind: fc.constant("path" as const), path: fc.constantFrom("tool.input.a", "tool.args.b", "tool.input.missing") }),
    fc.record({
      kind: fc.constant("compare" as const),
      path: fc.constantFrom(...paths),
      sign: fc.constantFrom("==", "!=", "contains"),
      value: values,
    }),
    fc.record({ kind: fc.constant("not" as const), inner: tie("node") }),
    fc.record({ kind: fc.constant("and" as const), left: tie("node"), right: tie("node") }),
    fc.record({ kind: fc.constant("or" as const), left: tie("node"), right: tie("node") }),
  ),
}));

const field = fc.oneof(values, fc.integer({ min: 0, max: 2 }), fc.boolean(), fc.array(fc.constant("x"), { maxLength: 1 }));
const payloads: fc.Arbitrary<Payload> = fc.record(
  { tool: fc.record({ name: fc.constantFrom(...names), input: fc.record({ a: field, b: field }) }), target: fc.constantFrom("Read", "x") },
  { requiredKeys: ["tool"] },
);

// Parentheses only where precedence needs them, so that precedence is what is tried.
function print(tree: Node, quote: "'" | '"'): string {
  const inner = (child: Node, weak: readonly string[]) => (weak.includes(child.kind) ? `(${print(child, quote)})` : print(child, quote));
  if (tree.kind === "name") return tree.name;
  if (tree.kind === "path") return tree.path;
  if (tree.kind === "not") return `!${inner(tree.inner, ["and", "or"])}`;
  if (tree.kind === "or") return `${print(tree.left, quote)} || ${print(tree.right, quote)}`;
  if (tree.kind === "and") return `${inner(tree.left, ["or"])}&&${inner(tree.right, ["or"])}`;
  return `${tree.path} ${tree.sign} ${quote}${tree.value.replace(/[\\'"]/g, (c) => (c === "\\" || c === quote ? `\\${c}` : c))}${quote}`;
}

function evaluate(tree: Node, payload: Payload): boolean {
  if (tree.kind === "not") return !evaluate(tree.inner, payload);
  if (tree.kind === "and") return evaluate(tree.left, payload) && evaluate(tree.right, payload);
  if (tree.kind === "or") return evaluate(tree.left, payload) || evaluate(tree.right, payload);
  if (tree.kind === "name") return payload.tool.name.toLowerCase() === tree.name.toLowerCase() || payload.target === tree.name;
  const found = lookUp(tree.path, payload);
  if (tree.kind === "path") return Array.isArray(found) ? found.length > 0 : Boolean(found);
  const given = Array.isArray(found) ? JSON.stringify(found) : String(found ?? "");
  const [text, value] = tree.path === "tool.name" ? [given.toLowerCase(), tree.value.toLowerCase()] : [given, tree.value];
  if (tree.sign === "contains") return text.includes(value);
  return (text === value) === (tree.sign === "==");
}

function lookUp(path: string, { tool, target }: Payload): unknown {
  const known: { readonly [path: string]: unknown } = {
    "tool.name": tool.name,
    "tool.input.a": tool.input.a,
    "tool.args.b": tool.input.b,
    target,
  };
  return known[path];
}

describe("compileExpression", () => {
  it("agrees with the reference evaluator", () => {
    fc.assert(
      fc.property(node, payloads, fc.constantFrom("'" as const, '"' as const), (tree, payload, quote) => {
        expect(compileExpression(print(tree, quote), nativeRegex)(payload)).toBe(evaluate(tree, payload));
      }),
      { numRuns: 5000 },
    );
  });

  it("compiles or refuses any text with a place inside it, and then never throws", () => {
    const part = fc.constantFrom(
      "tool.name",
      "Bash",
      "==",
      "!=",
      "=~",
      "contains",
      "&&",
      "||",
      "!",
      "(",
      ")",
      "'",
      '"',
      "\\",
      " ",
      "*",
      "[",
      "x",
      "=",
      ".",
      "|",
      ",",
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(text, payloads, (given, payload) => {
        try {
          expect(typeof compileExpression(given, nativeRegex)(payload)).toBe("boolean");
        } catch (error) {
          expect(error).toBeInstanceOf(HookError);
          expect((error as HookError).position).toBeGreaterThanOrEqual(0);
          expect((error as HookError).position).toBeLessThanOrEqual(given.length);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe("what an expression needs", () => {
  const quote = "'";
  const textOf = ({ path, sign, value }: TextCondition) => `${path} ${sign} '${value.replace(/[\\']/g, "\\$&")}'`;

  it("is met by one of the required texts in every payload that it holds for, and by the name of the tool", () => {
    fc.assert(
      fc.property(node, payloads, fc.integer({ min: 0, max: 2 }), (tree, payload, shortest) => {
        const text = print(tree, quote);
        if (!evaluate(tree, payload)) return;
        const required = requiredTexts(text, ({ value }) => (value.length > shortest ? value.length : 0));
        expect(required?.some((one) => compileExpression(textOf(one), nativeRegex)(payload)) ?? true).toBe(true);
        if (payload.target === undefined) expect(compileToolScope({ match: text })({ name: payload.tool.name })).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ["tool.input.a contains 'abc'", ["abc"]],
    ["Bash && tool.input.a contains 'abc'", ["abc"]],
    ["tool.input.a contains 'x' && tool.input.b == 'longer'", ["longer"]],
    ["tool.input.a contains 'one' || tool.input.b =~ 'two'", ["one", "two"]],
    ["(tool.input.a contains 'one' || tool.input.a contains 'two') && !(tool.input.a contains 'three')", ["one", "two"]],
    ["tool.input.a contains 'one' || Bash", undefined],
    ["!(tool.input.a contains 'one')", undefined],
    ["tool.input.a != 'one'", undefined],
    ["tool.name == 'Bash'", undefined],
    ["tool.input.a", undefined],
    ["tool.input.a == ''", undefined],
    ["'Bash'", undefined],
  ] as const)("%s", (text, values) => {
    expect(requiredTexts(text, ({ value }) => value.length)?.map(({ value }) => value)).toEqual(values);
  });
});
