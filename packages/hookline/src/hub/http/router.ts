interface Routed {
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
}

export interface Found<R> {
  readonly route: R;
  readonly params: { readonly [name: string]: string };
}

export interface Router<R> {
  /** The first route of the list that fits. HEAD finds the route of GET. */
  find(method: string, path: string): Found<R> | undefined;
  /** The methods of the routes at a path. */
  methodsAt(path: string): readonly string[];
}

/** Compares paths part by part. Paths without parameters are looked up directly. */
export function createRouter<R extends Routed>(routes: readonly R[]): Router<R> {
  const exact = new Map(routes.filter(({ path }) => !path.includes(":")).map((route) => [`${route.method} ${route.path}`, route]));
  const patterns = routes.filter(({ path }) => path.includes(":")).map((route) => ({ route, parts: route.path.split("/") }));
  return {
    find(method, path) {
      const wanted = method === "HEAD" ? "GET" : method;
      const same = exact.get(`${wanted} ${path}`);
      if (same !== undefined) return { route: same, params: {} };
      const given = path.split("/");
      const found = patterns.find(({ route, parts }) => route.method === wanted && fits(parts, given));
      return found && { route: found.route, params: paramsOf(found.parts, given) };
    },
    methodsAt(path) {
      const given = path.split("/");
      return routes.filter((route) => fits(route.path.split("/"), given)).map(({ method }) => method);
    },
  };
}

function fits(parts: readonly string[], given: readonly string[]): boolean {
  return (
    parts.length === given.length && parts.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]))
  );
}

function paramsOf(parts: readonly string[], given: readonly string[]): { [name: string]: string } {
  const params: { [name: string]: string } = {};
  for (const [index, part] of parts.entries()) if (part.startsWith(":")) params[part.slice(1)] = decode(given[index] ?? "");
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded UTF-8: the text itself is the value, and matches nothing that is stored.
    return text;
  }
}
