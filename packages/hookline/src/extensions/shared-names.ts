/** A runtime that shares its name of an event with another runtime. */
export type NamingRuntime = "hermes" | "synaps";

interface Meaning {
  readonly event: string;
  readonly why: string;
  /** What to write for the other meaning. */
  readonly other: string;
}

/** Names that mean different events in two runtimes: the origin of a hook decides which event it is. */
const meanings: { readonly [name: string]: { readonly [R in NamingRuntime]: Meaning } } = {
  on_session_end: {
    hermes: { event: "turn:end", why: "in Hermes it fires after every turn", other: 'For the end of the session, write "session:end".' },
    synaps: {
      event: "session:end",
      why: "in synaps, whose manifests these are, it fires once, when the session ends",
      other: 'For the end of each turn, write "turn:end".',
    },
  },
};

/** The event that a name means in a runtime, if another runtime uses the name for another event. */
export function meaningOf(name: string, runtime: NamingRuntime): Meaning | undefined {
  const key = name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return Object.hasOwn(meanings, key) ? meanings[key]?.[runtime] : undefined;
}

/** Which of the names have two meanings, and which one applies. */
export function sharedNames(names: readonly string[], runtime: NamingRuntime): string[] {
  return names.flatMap((name) => {
    const meaning = meaningOf(name, runtime);
    return meaning === undefined ? [] : [`"${name}" is ${meaning.event} here: ${meaning.why}. ${meaning.other}`];
  });
}
