import type { Envelope } from "@hookline/core/sinks";
import { isFolderPath, isWithin, resolveFolder } from "../../extensions/trust/folder-path.js";
import { findProject, listProjectHooks } from "../../extensions/trust/project-hooks.js";
import type { Scope } from "../../rules/regex/rule-regex.js";
import { withContext } from "./payload-context.js";
import type { SessionProjects, SessionProjectsFile } from "./session-projects.js";

const MAX_SESSIONS = 10_000;
const MAX_PLACES = 1_000;
/** A link may lead elsewhere soon. */
const PLACE_MS = 1_000;

/** Which events belong to which project. */
export interface ProjectScopes {
  /** The events of a project: those of sessions that are or were in it. */
  of(project: string): Scope;
  /** The events of every project that brings hooks, consented to or not. */
  ofEvery(): Scope;
  /** Notes where a session is. */
  see(payload: unknown): void;
  /** The envelope with the folder its process works in, where it does not say, and notes that, too. */
  locate(envelope: Envelope, cwdOf: (instance: string) => string | undefined): Envelope;
}

export interface ProjectScopesOptions {
  /** Hears of the folders that gates come from, with every link resolved. */
  readonly onPlace?: (place: string) => void;
  /** Without one, a session is forgotten with the process. */
  readonly sessionProjects?: Pick<SessionProjectsFile, "notes" | "save">;
}

/**
 * A session that has been in a project stays one of its sessions: an agent that changes its folder does not get away from the project's
 * guards. An event that says nothing about its place belongs to no project.
 */
export function createProjectScopes({ onPlace = () => {}, sessionProjects }: ProjectScopesOptions = {}): ProjectScopes {
  const projects = new Set<string>();
  const sessions: SessionProjects = sessionProjects?.notes ?? new Map();
  const places = new Map<string, string>();
  const withHooks = new Map<string, boolean>();
  let placesSince = 0;

  /** The folder with every link resolved; looked up once in a while. */
  function placeOf(cwd: string): string {
    const now = performance.now();
    if (now - placesSince > PLACE_MS || places.size >= MAX_PLACES) {
      places.clear();
      withHooks.clear();
      placesSince = now;
    }
    const known = places.get(cwd);
    if (known !== undefined) return known;
    const place = resolveFolder(cwd);
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

  function bringsHooks(folder: string): boolean {
    const known = withHooks.get(folder);
    if (known !== undefined) return known;
    const found = listProjectHooks(findProject(folder)).length > 0;
    withHooks.set(folder, found);
    return found;
  }

  function see(payload: unknown): void {
    const { cwd, session } = fieldsOf(payload);
    if (cwd !== undefined) onPlace(placeOf(cwd));
    const { id } = session;
    if (id === undefined || projects.size === 0) return;
    const found = projectsOf(payload);
    if (found.size === 0) return;
    const isNew = found.size !== sessions.get(id)?.size;
    // The one that has been silent for longest is forgotten first.
    sessions.delete(id);
    sessions.set(id, found);
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string);
    if (isNew) sessionProjects?.save();
  }

  return {
    see,
    of(project) {
      projects.add(project);
      return (payload) => projectsOf(payload).has(project);
    },
    ofEvery: () => (payload) => {
      const { cwd } = fieldsOf(payload);
      return [...projectsOf(payload), ...(cwd === undefined ? [] : [placeOf(cwd)])].some(bringsHooks);
    },
    locate(envelope, cwdOf) {
      if (projects.size === 0) return envelope;
      const payload = withContext(envelope.payload, { session: envelope.session, cwd: cwdOf(envelope.source.instance) });
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
    cwd: isFolderPath(cwd) ? cwd : undefined,
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
