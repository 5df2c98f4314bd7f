import { innerOf, removed, withInner } from "./edit-text.js";
import { eventNames, hooksOf, isMarked, listOf, ourNodes, plainValue } from "./hook-lists.js";
import { type JsonSyntax, parseDocument } from "./json-document.js";
import { type FileSyntax, isJson, lineFile } from "./line-file.js";
import { SCRIPT, scriptEntries } from "./script-file.js";

/** How to recognize our entries, and how to parse the file. */
export interface OurHooks {
  /** An entry that contains one of these texts is ours: the path of our script, our URL. */
  readonly marks: readonly string[];
  readonly syntax: FileSyntax;
}

/** An object or list that was empty before our entries. `was`: the text between its brackets; missing if we created it. */
export interface Container {
  readonly path: readonly string[];
  readonly was?: string;
}

/** Removes our entries, and containers that were created for them and are now empty. Everything else stays. Throws `HL_AGENT_FILE`. */
export function removeHooks(
  text: string,
  ours: OurHooks & { readonly events?: readonly string[] },
  containers: readonly Container[] = [],
): string {
  const { syntax, marks } = ours;
  const lines = lineFile(syntax);
  if (lines !== undefined) return lines.remove(text, marks);
  if (!isJson(syntax)) return scriptEntries(text, marks).length > 0 ? "" : text;
  const bare = (ours.events ?? ourEvents(text, ours)).reduce((rest, event) => removeFrom(rest, { syntax, marks }, event), text);
  const deepestFirst = [...containers].sort((a, b) => b.path.length - a.path.length || containers.indexOf(b) - containers.indexOf(a));
  return deepestFirst.reduce((rest, container) => tidied(rest, syntax, container), bare);
}

/** The events that we have entries for. */
export function ourEvents(text: string, { marks, syntax }: OurHooks): string[] {
  const lines = lineFile(syntax);
  if (lines !== undefined)
    return Object.entries(lines.lists(text)).flatMap(([event, list]) => (list.some((entry) => isMarked(entry, marks)) ? [event] : []));
  if (!isJson(syntax)) return scriptEntries(text, marks).length > 0 ? [SCRIPT] : [];
  const document = parseDocument(text, syntax);
  return eventNames(document).filter((event) => {
    const list = listOf(document, event);
    return list !== undefined && ourNodes(list, marks).length > 0;
  });
}

/** The entries of an event as the agent reads them: all, and which of them are ours. Missing if the file has no list for it. Throws `HL_AGENT_FILE`. */
export function entriesFor(
  text: string,
  { marks, syntax }: OurHooks,
  event: string,
): { readonly all: readonly unknown[]; readonly ours: readonly unknown[] } | undefined {
  const lines = lineFile(syntax);
  if (lines !== undefined) {
    const all = lines.lists(text)[event];
    return all && { all, ours: all.filter((entry) => isMarked(entry, marks)) };
  }
  if (!isJson(syntax)) return { all: [text], ours: scriptEntries(text, marks) };
  const list = listOf(parseDocument(text, syntax), event);
  return list && { all: plainValue(list) as readonly unknown[], ours: ourNodes(list, marks).map(({ node }) => plainValue(node)) };
}

function removeFrom(text: string, ours: OurHooks & { readonly syntax: JsonSyntax }, event: string): string {
  const list = listOf(parseDocument(text, ours.syntax), event);
  const [found] = list === undefined ? [] : ourNodes(list, ours.marks);
  return found === undefined ? text : removeFrom(removed(text, found.container, found.node), ours, event);
}

/** An empty container becomes what it was before. One with a comment in it stays: the comment is the user's. */
function tidied(text: string, syntax: JsonSyntax, { path, was }: Container): string {
  const document = parseDocument(text, syntax);
  const [, event] = path;
  const node = path.length === 0 ? document.root : event === undefined ? hooksOf(document) : listOf(document, event);
  if (node === undefined || node.children?.length !== 0 || innerOf(text, node).trim() !== "") return text;
  if (was !== undefined) return was.trim() === "" ? withInner(text, node, was) : text;
  const member = node.parent;
  return member?.parent === undefined ? text : removed(text, member.parent, member);
}
