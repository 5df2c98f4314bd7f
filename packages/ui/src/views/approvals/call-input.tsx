import { JsonTree } from "../../parts/json-tree.js";
import { type Fields, isFields } from "../../text/fields.js";
import { inert } from "../../text/inert.js";
import { ExactText, Pieces } from "./exact-text.js";

const SHORT = 200;

/** What a tool is called with: its command first, then every text exactly as it is, then the rest as a tree. */
export function CallInput({ input }: { readonly input: unknown }) {
  if (!isFields(input))
    return typeof input === "string" ? <ExactText text={input} label="What it is called with" /> : <JsonTree value={input} />;
  const { command, ...others } = input;
  const rest = Object.entries(typeof command === "string" ? others : input);
  const texts = rest.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const values = rest.filter(([, value]) => typeof value !== "string");
  return (
    <>
      {typeof command === "string" && <ExactText text={command} label="The command" />}
      {texts.map(([name, text]) => (
        <Member key={name} name={name} text={text} />
      ))}
      {(values.length > 0 || rest.length + (typeof command === "string" ? 1 : 0) === 0) && <JsonTree value={fieldsOf(values)} />}
    </>
  );
}

function Member({ name, text }: { readonly name: string; readonly text: string }) {
  if (text.length <= SHORT && !text.includes("\n"))
    return (
      <p class="call-member mono">
        <span class="tree-name">{inert(name)}: </span>
        <Pieces text={text} />
      </p>
    );
  return (
    <>
      <p class="call-member mono">
        <span class="tree-name">{inert(name)}:</span>
      </p>
      <ExactText text={text} label={inert(name)} />
    </>
  );
}

function fieldsOf(entries: readonly (readonly [string, unknown])[]): Fields {
  return Object.fromEntries(entries);
}
