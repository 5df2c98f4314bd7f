import { computed, signal } from "@preact/signals";

const VIEWS = ["live", "sessions", "approvals", "handlers", "flow", "overview", "transcript", "hosts", "audit"] as const;
export type View = (typeof VIEWS)[number];
type Params = { readonly [name: string]: string | readonly string[] | undefined };

const search = signal(window.location.search);
window.addEventListener("popstate", () => {
  search.value = window.location.search;
});

/** Everything that a view shows stands in the address, so that it can be kept and sent. */
export const params = computed(() => new URLSearchParams(search.value));
export const view = computed((): View => VIEWS.find((name) => name === params.value.get("view")) ?? "live");

export function hrefOf(name: View, values: Params = {}): string {
  return `?${toQuery({ view: name, ...values })}`;
}

export function goTo(href: string): void {
  window.history.pushState(null, "", href);
  search.value = window.location.search;
}

/** Changes some of the address and keeps the rest. Typing replaces the history entry, because going back letter by letter would be useless. */
export function changeParams(values: Params, how: "push" | "replace" = "push"): void {
  const next = new URLSearchParams(search.value);
  for (const [name, value] of Object.entries(values)) setParam(next, name, value);
  if (how === "push") window.history.pushState(null, "", `?${next}`);
  else window.history.replaceState(null, "", `?${next}`);
  search.value = window.location.search;
}

/** Links within the dashboard change the address without a reload. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href");
  if (link === null || !href?.startsWith("?") || link.hasAttribute("download")) return;
  event.preventDefault();
  goTo(href);
}

function toQuery(values: Params): string {
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) setParam(made, name, value);
  return made.toString();
}

function setParam(into: URLSearchParams, name: string, value: string | readonly string[] | undefined): void {
  into.delete(name);
  for (const one of typeof value === "string" ? [value] : (value ?? [])) if (one !== "") into.append(name, one);
}
