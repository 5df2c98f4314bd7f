import { hash } from "node:crypto";
import type { Envelope } from "@hookline/core/sinks";

type Session = NonNullable<Envelope["session"]>;

/** Of an id that is too long, this much is kept. */
const KEPT = 900;
const DIGEST = 16;

/** The session with ids that fit, or nothing if they fit already. Two ids that differ still differ. */
export function cutSession(session: Session, most: number): Session | undefined {
  const { id, parentId } = session;
  if (id.length <= most && (parentId?.length ?? 0) <= most) return undefined;
  return { ...session, id: cut(id, most), ...(parentId !== undefined && { parentId: cut(parentId, most) }) };
}

function cut(id: string, most: number): string {
  if (id.length <= most) return id;
  // Not half of a character.
  const kept = id.slice(0, KEPT).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… (cut from ${id.length} characters, ${hash("sha256", id).slice(0, DIGEST)})`;
}
