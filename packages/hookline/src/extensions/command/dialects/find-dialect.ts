import type { DialectName } from "../../../config/dialects.js";
import { claudeCode } from "./claude-code.js";
import { codewhale } from "./codewhale.js";
import type { Dialect } from "./dialect.js";
import { harn } from "./harn.js";
import { hermes } from "./hermes.js";
import { own } from "./own.js";

const dialects: { readonly [N in DialectName]: Dialect } = { own, "claude-code": claudeCode, hermes, codewhale, harn };

export function findDialect(name: DialectName): Dialect {
  return dialects[name];
}
