import type { Framing } from "@hookline/core/internal/wire";
import type { CheckedFiles, HookSpec, StartCheck } from "../handler-source.js";

/** A program that answers hooks: the command, its folder and its settings. */
export interface ProcessProgram {
  readonly name: string;
  readonly description?: string;
  /** The manifest that defines it. */
  readonly path?: string;
  readonly permissions?: readonly string[];
  readonly hooks: readonly HookSpec[];
  readonly command: string;
  readonly args: readonly string[];
  /** Its working folder; relative paths begin there. */
  readonly folder: string;
  /** If missing: detected from its first frame. Until then we send lines. */
  readonly framing?: Framing;
  /** Environment variables that it receives besides the allow-list. */
  readonly env?: readonly string[];
  readonly check?: StartCheck | undefined;
  /** Read at every start, so that secrets are not kept. `checked`: what `check` returned. Throws for a missing setting. */
  readonly config?: (
    environment: { readonly [name: string]: string | undefined },
    checked?: CheckedFiles,
  ) => { readonly [key: string]: unknown };
}
