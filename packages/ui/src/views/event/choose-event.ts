import { changeParams, params } from "../../state/location.js";

/** Opens an event beside the list, or closes it. From one to the next is no step back in the history. */
export function chooseEvent(id: string | undefined): void {
  changeParams({ id }, !params.peek().has("id") || id === undefined ? "push" : "replace");
}
