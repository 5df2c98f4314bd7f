import { didYouMean } from "../text/did-you-mean.js";
import { HookError } from "./errors.js";
import { catalog, customEvent, type EventSpec, families, familyAliases } from "./events.js";

/** An event as the bus knows it: its canonical name and its row of the catalogue. */
export interface EventInfo {
  readonly name: string;
  readonly spec: EventSpec;
}

/** A name or pattern without the spaces around it; another runtime's name for events of a family is replaced by ours. */
export function spelledOut(written: string): string {
  if (typeof written !== "string") return written;
  const name = written.trim();
  return Object.hasOwn(familyAliases, name) ? familyAliases[name as keyof typeof familyAliases] : name;
}

/** The canonical event for any spelling of its name. Throws `HL_UNKNOWN_EVENT`, with a suggestion, for an unknown name. */
export function resolveEvent(spelling: string): EventInfo {
  return findOne(spelling) ?? raiseUnknown(spelling);
}

/** As `resolveEvent`, but `undefined` for an unknown name. `pre_command`, which stands for every command, is `command:*`. */
export function findEvent(written: string): EventInfo | undefined {
  return findOne(written) ?? findPattern(written);
}

function findPattern(written: string): EventInfo | undefined {
  const pattern = spelledOut(written);
  if (typeof pattern !== "string" || !pattern.endsWith(":*") || pattern === written.trim()) return undefined;
  const spec = families[pattern.slice(0, -2) as keyof typeof families] as EventSpec | undefined;
  return spec && { name: pattern, spec };
}

/** The one event of that name, for a sender: `undefined` also for a spelling that stands for several. */
export function findOne(written: string): EventInfo | undefined {
  if (typeof written !== "string") return undefined;
  const known = spellings.get(written);
  if (known !== undefined) return known;
  const spelling = spelledOut(written);
  if (spelling !== written) return findOne(spelling);
  const colon = spelling.indexOf(":");
  if (colon < 1 || !NAME.test(spelling)) return undefined;
  const namespace = spelling.slice(0, colon);
  const family = families[namespace as keyof typeof families] as EventSpec | undefined;
  if (family !== undefined && Object.hasOwn(families, namespace)) return { name: spelling, spec: memberOf(namespace, family, spelling) };
  // Also `Tool:before`: a guard registered under a namespace of the wrong case would never be asked.
  return knownNamespaces.has(namespace.toLowerCase()) ? undefined : { name: spelling, spec: customEvent };
}

/** Does `pattern` (`*` or `namespace:*`) match this canonical name? A pattern does not cross a colon, except `command:*`. */
export function patternMatches(pattern: string, name: string): boolean {
  if (pattern === "*") return true;
  const prefix = pattern.slice(0, -1);
  // All after `command:` is the command's name, colons and all (`command:git:push`): a guard of `command:*` sees every command.
  return name.startsWith(prefix) && (prefix === "command:" || name.indexOf(":", prefix.length) === -1);
}

/** Whether a text is a pattern, which names a set of events. Throws for a pattern that could never match. */
export function isPattern(text: string): boolean {
  if (typeof text !== "string" || !text.includes("*")) return false;
  if (text === "*") return true;
  if (!PATTERN.test(text)) {
    throw new HookError(
      "HL_BAD_PATTERN",
      `"${text}" is not an event pattern: write "namespace:*" for one namespace or "*" for everything, and narrow further with \`match\`.`,
      { event: text },
    );
  }
  if (!canMatch(text))
    throw new HookError("HL_UNKNOWN_EVENT", `No event matches "${text}".${didYouMean(text, patternsOfAll())}`, { event: text });
  return true;
}

/** A pattern in a known namespace must match one of its events. With the wrong case, or one colon too many, it would guard nothing. */
function canMatch(pattern: string): boolean {
  const namespace = pattern.slice(0, pattern.indexOf(":"));
  if (Object.hasOwn(families, namespace)) return true;
  if (spellings.has(namespace)) return false;
  if (!knownNamespaces.has(namespace.toLowerCase())) return true;
  return Object.keys(catalog).some((name) => patternMatches(pattern, name));
}

function patternsOfAll(): string[] {
  return [...knownNamespaces].map((namespace) => `${namespace}:*`);
}

/** The permissions of every event a pattern can match. */
export function permissionsOf(pattern: string): string[] {
  return [...new Set(specsMatching(pattern).map(({ permission }) => permission))];
}

/** Whether an event is a gate that a handler can deny. */
export function isBlockable({ kind, outcomes }: EventSpec): boolean {
  return kind === "gate" && outcomes.includes("block");
}

/** Whether a pattern can match an event that can be blocked. */
export function coversBlockable(pattern: string): boolean {
  return specsMatching(pattern).some(isBlockable);
}

function specsMatching(pattern: string): EventSpec[] {
  const specs: EventSpec[] = Object.entries(catalog).flatMap(([name, spec]) => (patternMatches(pattern, name) ? spec : []));
  // A family's names may have more than two parts, so its namespace decides.
  for (const [namespace, spec] of Object.entries(families)) if (pattern === "*" || pattern.startsWith(`${namespace}:`)) specs.push(spec);
  if (pattern === "*" || specs.length === 0) specs.push(customEvent);
  return specs;
}

/** Every spelling under which a catalogue event is known, the canonical one first. */
export function spellingsOf(name: string): string[] {
  return [...spellings].filter(([, info]) => info.name === name).map(([spelling]) => spelling);
}

const NAME = /^[A-Za-z][\w.-]*(:[^\s:*\p{Cc}]+)+$/u;
const PATTERN = /^[A-Za-z][\w.-]*(:[^\s:*\p{Cc}]+)*:\*$/u;

const spellings = new Map<string, EventInfo>();
const knownNamespaces = new Set<string>(Object.keys(families));

function memberOf(namespace: string, family: EventSpec, name: string): EventSpec {
  return namespace === "tui" && /\.(delta|progress)$/.test(name) ? { ...family, class: "bulk" } : family;
}

function raiseUnknown(spelling: string): never {
  const pattern = findPattern(spelling)?.name;
  if (pattern !== undefined) {
    const one = pattern.replace("*", "deploy");
    throw new HookError("HL_UNKNOWN_EVENT", `"${spelling}" stands for every event of "${pattern}": name one, such as "${one}".`, {
      event: spelling,
    });
  }
  const shown = typeof spelling === "string" ? `"${spelling.slice(0, 80)}"` : `a ${typeof spelling}`;
  const hint = typeof spelling === "string" ? didYouMean(spelling, spellings.keys()) : "";
  throw new HookError(
    "HL_UNKNOWN_EVENT",
    `Unknown event ${shown}.${hint} Events of your own need a namespace of their own, such as "myapp:deployed".`,
    { event: String(spelling) },
  );
}

function addSpelling(spelling: string, info: EventInfo): void {
  if (!spellings.has(spelling)) spellings.set(spelling, info);
}

function pascal(name: string): string {
  return name.replace(/(?:^|[:_.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[:.]/g, "_")
    .toLowerCase();
}

// Names that are written down come first, so that a derived spelling never takes one away.
const infos = Object.entries(catalog).map(([name, spec]): EventInfo => ({ name, spec }));
for (const info of infos) {
  knownNamespaces.add(info.name.slice(0, info.name.indexOf(":")));
  addSpelling(info.name, info);
  for (const alias of info.spec.aliases) addSpelling(alias, info);
}
for (const info of infos) {
  for (const written of [info.name, ...info.spec.aliases]) {
    addSpelling(pascal(written), info);
    addSpelling(snake(written), info);
  }
}
