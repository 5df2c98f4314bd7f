import { changeParams, params } from "../../state/location.js";

/** Opens an event beside the list, or closes it. Chosen once more, it gets the focus. Moving from one event to the next adds no history entry. */
export function chooseEvent(id: string | undefined): void {
  const before = params.peek().get("id") ?? undefined;
  if (id !== undefined && id === before) return document.querySelector<HTMLElement>(".panel-body")?.focus();
  changeParams({ id }, before === undefined || id === undefined ? "push" : "replace");
  if (id === undefined && before !== undefined) focusRow(before);
}

/** The row of an event, as soon as it is drawn. */
export function focusRow(id: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] button`)?.focus({ preventScroll: true }));
}
