import { hub } from "../../api/calls.js";
import { Trouble } from "../../parts/trouble.js";
import { useLoaded } from "../../state/use-loaded.js";
import { AnyEvent } from "./any-event.js";

/** One event, fetched from the hub. */
export function EventPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error } = useLoaded(() => hub.event(id), id);
  if (data !== undefined) return <AnyEvent event={data.event} isStored onClose={onClose} />;
  return (
    <aside class="panel" aria-label="Event" aria-busy={error === undefined}>
      {error === undefined ? <p class="panel-wait dim">Loading…</p> : <Trouble error={error} />}
      <p class="panel-wait">
        <button type="button" class="link" onClick={onClose}>
          Close
        </button>
      </p>
    </aside>
  );
}
