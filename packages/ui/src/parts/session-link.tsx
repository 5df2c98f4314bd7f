import { hrefOf } from "../state/location.js";
import { inert } from "../text/inert.js";

/** Ids tell themselves apart at their ends. */
export function SessionLink({ id, length = 14 }: { readonly id: string; readonly length?: number }) {
  const text = inert(id);
  return (
    <a class="mono" href={hrefOf("sessions", { session: id })} title={text}>
      {text.length <= length ? text : `…${text.slice(1 - length)}`}
    </a>
  );
}
