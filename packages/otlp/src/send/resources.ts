import type { EnvelopeSource } from "@hookline/core/sinks";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { version } from "../names/package-version.js";

const MAX_KEPT = 1_000;

/** The resources that events come from: one for each app and host, unless the settings name the service. */
export interface Resources {
  /** That of the sink itself, for metrics. */
  readonly own: Resource;
  of(source: EnvelopeSource): Resource;
}

export function createResources(given: { readonly [name: string]: string }): Resources {
  const kept = new Map<string, Resource>();
  const own = resourceFromAttributes({ "service.name": "hookline", "service.version": version, ...given });
  return {
    own,
    of({ app, host }) {
      const key = JSON.stringify([app, host]);
      const known = kept.get(key) ?? resourceFromAttributes({ "service.name": app, ...(host !== "" && { "host.name": host }), ...given });
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, known);
      return known;
    },
  };
}
