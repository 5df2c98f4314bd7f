import type { Framing } from "@hookline/core/internal/wire";
import type { HookSpec } from "../handler-source.js";

/** A program that answers hooks: what to run, where, and what it is told. */
export interface ProcessProgram {
  readonly name: string;
  readonly description?: string;
  /** The manifest it comes from. */
  readonly path?: string;
  readonly permissions?: readonly string[];
  readonly hooks: readonly HookSpec[];
  readonly command: string;
  readonly args: readonly string[];
  /** Its working folder; relative paths begin there. */
  readonly folder: string;
  /** Told from its first frame when it is missing; until then we send lines. */
  readonly framing?: Framing;
  /** Environment variables it gets besides the allow-list. */
  readonly env?: readonly string[];
  /** Read at every start, so that a secret is never kept. Throws what is missing. */
  readonly config?: (environment: { readonly [name: string]: string | undefined }) => { readonly [key: string]: unknown };
}
