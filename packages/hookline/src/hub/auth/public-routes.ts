/** The only routes that need no token. Everything else, also what is not there, answers 401 without one. */
export const PUBLIC_ROUTES: readonly { readonly method: string; readonly path: string }[] = [
  { method: "GET", path: "/api/hooks/health" },
  { method: "GET", path: "/api/hooks/proof" },
  { method: "POST", path: "/api/login" },
  { method: "GET", path: "/" },
  { method: "GET", path: "/login" },
  { method: "GET", path: "/login.js" },
  { method: "GET", path: "/assets/:file" },
  { method: "GET", path: "/app.webmanifest" },
  { method: "GET", path: "/worker.js" },
  { method: "GET", path: "/api/sign-in" },
  { method: "POST", path: "/api/sign-in/options" },
  { method: "POST", path: "/api/sign-in" },
  { method: "POST", path: "/api/fleet/enrol/options" },
  { method: "POST", path: "/api/fleet/enrol" },
];

const patterns = PUBLIC_ROUTES.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/, "[^/]+")}$`),
}));

export function isPublic(method: string, path: string): boolean {
  const wanted = method === "HEAD" ? "GET" : method;
  return patterns.some((route) => route.method === wanted && route.pattern.test(path));
}
