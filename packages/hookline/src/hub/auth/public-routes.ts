/** The only routes that need no token. Everything else, also what is not there, answers 401 without one. */
export const PUBLIC_ROUTES: readonly { readonly method: string; readonly path: string }[] = [
  { method: "GET", path: "/api/hooks/health" },
  { method: "GET", path: "/api/hooks/proof" },
];

export function isPublic(method: string, path: string): boolean {
  const wanted = method === "HEAD" ? "GET" : method;
  return PUBLIC_ROUTES.some((route) => route.method === wanted && route.path === path);
}
