import { realpathSync } from "node:fs";
import { isAbsolute, sep } from "node:path";
import type { Envelope } from "@hookline/core/sinks";
import type { Scope } from "../../rules/regex/rule-regex.js";
import { fillIn } from "./fill-in.js";

const MAX_SESSIONS = 10_000;
const MAX_PLACES = 1_000;

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
 * guards. An event that says nothing about its place belongs to no project.
 */
export function createProjectScopes(): ProjectScopes {
  const projects = new Set<string>();
  const sessions = new Map<string, ReadonlySet<string>>();
  const places = new Map<string, string>();

  /** The folder with every link resolved; looked up once while it is asked for. */
  function placeOf(cwd: string): string {
    const known = places.get(cwd);
    if (known !== undefined) return known;
    if (places.size >= MAX_PLACES) places.clear();
    const place = resolved(cwd);
    places.set(cwd, place);
    return place;
  }

  function projectsOf(payload: unknown): ReadonlySet<string> {
    const { cwd, session } = fieldsOf(payload);
    const before = [session?.id, session?.parentId].flatMap((id) => [...(sessions.get(id ?? "") ?? [])]);
    if (cwd === undefined) return new Set(before);
    const place = placeOf(cwd);
    return new Set([...before, ...[...projects].filter((project) => isWithin(place, project))]);
  }

  function see(payload: unknown): void {
    const id = projects.size === 0 ? undefined : fieldsOf(payload).session?.id;
    if (id === undefined) return;
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
  readonly session: { readonly id: string | undefined; readonly parentId: string | undefined } | undefined;
}

function fieldsOf(payload: unknown): Fields {
  const { cwd, session } = (Object(payload) as { readonly cwd?: unknown; readonly session?: unknown }) ?? {};
  const { id, parentId } = (Object(session) as { readonly id?: unknown; readonly parentId?: unknown }) ?? {};
  return { cwd: isPlace(cwd) ? cwd : undefined, session: { id: textOf(id), parentId: textOf(parentId) } };
}

function isPlace(cwd: unknown): cwd is string {
  return typeof cwd === "string" && cwd.length < 4_096 && isAbsolute(cwd) && !cwd.includes("\0");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function resolved(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}

function isWithin(place: string, project: string): boolean {
  return place === project || place.startsWith(project.endsWith(sep) ? project : `${project}${sep}`);
}
