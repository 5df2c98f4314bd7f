import type { Scene } from "./scene.js";

/** `warn`: works, but not as it should. `skip`: cannot be looked at now. */
export type CheckState = "ok" | "warn" | "fail" | "skip";

export interface Finding {
  readonly state: CheckState;
  /** What was seen; never a secret. */
  readonly detail: string;
  /** The command that mends it, where it is another than the check's own. */
  readonly fix?: string;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  /** The one command that mends it. */
  readonly mend: string;
  look(scene: Scene): Finding | Promise<Finding>;
}

export function ok(detail: string): Finding {
  return { state: "ok", detail };
}

export function skip(detail: string): Finding {
  return { state: "skip", detail };
}

export function warn(detail: string, fix?: string): Finding {
  return { state: "warn", detail, ...(fix !== undefined && { fix }) };
}

export function fail(detail: string, fix?: string): Finding {
  return { state: "fail", detail, ...(fix !== undefined && { fix }) };
}

/** The command that a reason names at its end, as those of the state folder do. */
export function commandIn(reason: string): string | undefined {
  return /Run: (.*?)\.?$/.exec(reason)?.[1];
}

export function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
