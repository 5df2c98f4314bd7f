import { type Fields, isFields } from "../../text/fields.js";
import { jsonText } from "../../text/foreign.js";
import { inert } from "../../text/inert.js";
import { ExactText, Pieces } from "./exact-text.js";

const SHORT = 200;

/** What a tool is called with: its command first, then every text exactly as it is, then the rest as JSON, all of it. */
export function CallInput({ input }: { readonly input: unknown }) {
  if (!isFields(input)) return <ExactText text={typeof input === "string" ? input : jsonText(input, 2)} label="What it is called with" />;
  const { command, ...others } = input;
  const isCommand = typeof command === "string";
  return (
    <>
      {isCommand && <ExactText text={command} label="The command" />}
      <Members of={isCommand ? others : input} label="What it is called with" isEmptyShown={!isCommand} />
    </>
  );
}

interface MembersProps {
  readonly of: Fields;
  readonly label: string;
  readonly isEmptyShown?: boolean;
}

/** Every text as it is, the rest as JSON. */
export function Members({ of, label, isEmptyShown = false }: MembersProps) {
  const members = Object.entries(of);
  const texts = members.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const values = members.filter(([, value]) => typeof value !== "string");
  const isRest = values.length > 0 || (isEmptyShown && members.length === 0);
  return (
    <>
      {texts.map(([name, text]) => (
        <Member key={name} name={name} text={text} />
      ))}
      {isRest && <ExactText text={jsonText(Object.fromEntries(values), 2)} label={label} />}
    </>
  );
}

function Member({ name, text }: { readonly name: string; readonly text: string }) {
  const isShort = text.length <= SHORT && !text.includes("\n");
  return (
    <>
      <p class="call-member mono">
        <span class="tree-name">
          <Pieces text={name} />:{" "}
        </span>
        {isShort && <Pieces text={text} />}
      </p>
      {!isShort && <ExactText text={text} label={inert(name)} />}
    </>
  );
}
