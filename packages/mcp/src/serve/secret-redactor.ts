import { isDeepStrictEqual } from "node:util";
import { hideSecretText } from "@hookline/core/internal";
import { guardedMethods } from "../gateway/guarded-methods.js";
import { version } from "../protocol/package-version.js";
import type { Interceptor } from "./interceptor-registry.js";

/** Puts the name of its shape in the place of each secret in a request. The server gets the request without them. */
export function secretRedactor(isAudit: boolean): Interceptor {
  return {
    descriptor: {
      name: "hookline-redacts",
      version,
      description: "Takes secrets of known shapes out of requests.",
      type: "mutation",
      hooks: [{ events: Object.keys(guardedMethods), phase: "request" }],
      ...(isAudit && { mode: "audit" as const }),
    },
    act({ payload }) {
      const hidden = hideSecretText(structuredClone(payload));
      return { modified: !isDeepStrictEqual(hidden, payload), payload: hidden };
    },
  };
}
