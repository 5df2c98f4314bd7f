import { type ErrorCode, HookError } from "@hookline/core";
import { INSTALL_OPTIONAL } from "@hookline/core/internal";
import { readVersion } from "./version.js";

/** A package that only those install who use its feature. It depends on this one. */
export interface OptionalPackage {
  readonly name: string;
  /** The error that says what to install. */
  readonly code: ErrorCode;
  /** What needs the package, as the subject of a sentence. */
  readonly user: string;
}

/** Loads an entry of an optional package, which must be of the same version. Throws the package's error, which says what to install. */
export async function importOptional<Module extends { readonly version: string }>(wanted: OptionalPackage, entry: string): Promise<Module> {
  const version = readVersion();
  const module = await load<Module>(wanted, entry);
  if (module.version === version) return module;
  throw missing(wanted, `hookline is version ${version}, but ${wanted.name} is version ${module.version}.`);
}

async function load<Module>(wanted: OptionalPackage, entry: string): Promise<Module> {
  try {
    // The name is not a constant: the package depends on this one, and most installations have no such package.
    return (await import(entry)) as Module;
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | null)?.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw missing(wanted, `${wanted.user} needs the package ${wanted.name}, which is not installed.`, cause);
  }
}

function missing({ code }: OptionalPackage, message: string, cause?: unknown): HookError {
  return new HookError(code, message, { fix: INSTALL_OPTIONAL, cause });
}
