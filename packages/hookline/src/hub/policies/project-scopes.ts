import type { Envelope } from "@hookline/core/sinks";
import { isPlace, isWithin, resolvePlace } from "../../extensions/trust/place.js";
import type { Scope } from "../../rules/regex/rule-regex.js";
import { fillIn } from "./fill-in.js";

const MAX_SESSIONS = 10_000;
const MAX_PLACES = 1_000;
/** A link may lead elsewhere soon. */
const PLACE_MS = 1_000;

/** Which events belong to which project. */
export interface ProjectScopes {
  /** The events of a project: those of sessions that are or were in it. */
  of(project: string): Scope;
  /** Notes where a session is. */
  see(payload: unknown): void;
  /** The envelope with the folder its process works in, where it does not say, and notes that, too. */
  locate(envelope: Envelope, cwdOf: (instance: string) => string | undefined): Envelope;
}

/**
 * A session that has been in a project stays one of its sessions: an agent that changes its folder does not get away from the project's
 * guards. An event that says nothing about its place belongs to no project. `onPlace` hears of the folders that gates come from.
 */
export function createProjectScopes(onPlace: (cwd: string) => void = () => {}): ProjectScopes {
  const projects = new Set<string>();
  const sessions = new Map<string, ReadonlySet<string>>();
  const places = new Map<string, string>();
  let placesSince = 0;

  /** The folder with every link resolved; looked up once in a while. */
  function placeOf(cwd: string): string {
    const now = performance.now();
    if (now - placesSince > PLACE_MS || places.size >= MAX_PLACES) {
      places.clear();
      placesSince = now;
    }
    const known = places.get(cwd);
    if (known !== undefined) return known;
    const place = resolvePlace(cwd);
    places.set(cwd, place);
    return place;
  }

  function projectsOf(payload: unknown): ReadonlySet<string> {
    const { cwd, session } = fieldsOf(payload);
    const before = [session.id, session.parentId].flatMap((id) => [...(sessions.get(id ?? "") ?? [])]);
    if (cwd === undefined) return new Set(before);
    const place = placeOf(cwd);
    return new Set([...before, ...[...projects].filter((project) => isWithin(place, project))]);
  }

  function see(payload: unknown): void {
    const { cwd, session } = fieldsOf(payload);
    if (cwd !== undefined) onPlace(cwd);
    const { id } = session;
    if (id === undefined || projects.size === 0) return;
    const found = projectsOf(payload);
    if (found.size === 0) return;
    // The one that has been silent for longest is forgotten first.
    sessions.delete(id);
    sessions.set(id, found);
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string);
  }

  return {
    see,
    of(project) {
      projects.add(project);
      return (payload) => projectsOf(payload).has(project);
    },
    locate(envelope, cwdOf) {
      if (projects.size === 0) return envelope;
      const payload = fillIn(envelope.payload, { session: envelope.session, cwd: cwdOf(envelope.source.instance) });
      see(payload);
      return { ...envelope, payload };
    },
  };
}

interface Fields {
  readonly cwd: string | undefined;
  readonly session: { readonly id: string | undefined; readonly parentId: string | undefined };
}

function fieldsOf(payload: unknown): Fields {
  const cwd = fieldOf(payload, "cwd");
  const session = fieldOf(payload, "session");
  return {
    cwd: isPlace(cwd) ? cwd : undefined,
    session: { id: textOf(fieldOf(session, "id")), parentId: textOf(fieldOf(session, "parentId")) },
  };
}

/** Whatever the object is made of: a getter that throws says nothing. */
function fieldOf(object: unknown, key: string): unknown {
  try {
    return (Object(object) as { readonly [key: string]: unknown })[key];
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
