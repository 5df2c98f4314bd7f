import { hrefOf } from "../state/location.js";
import { inert } from "../text/inert.js";

/** The beginning of the id, which every command takes in its place. */
export function SessionLink({ id, length = 14 }: { readonly id: string; readonly length?: number }) {
  const text = inert(id);
  return (
    <a class="mono" href={hrefOf("sessions", { session: id })} title={text}>
      {text.length <= length ? text : `${text.slice(0, length - 1)}…`}
    </a>
  );
}
