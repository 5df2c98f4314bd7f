import type { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Trouble } from "../../parts/trouble.js";
import { useLoaded } from "../../state/use-loaded.js";
import { EventDetail, type EventDetailProps } from "./event-detail.js";

/** One event, fetched from the hub. */
export function EventPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error } = useLoaded(() => hub.event(id), `event ${id}`);
  if (data !== undefined) return <AnyEvent event={data.event} isStored onClose={onClose} />;
  return (
    <aside class="panel" aria-label="Event" aria-busy={error === undefined}>
      {error === undefined ? <p class="panel-wait dim">Loading…</p> : <NoEvent error={error} />}
      <p class="panel-wait">
        <button type="button" class="link" onClick={onClose}>
          Close
        </button>
      </p>
    </aside>
  );
}

function NoEvent({ error }: { readonly error: ApiError }) {
  if (error.status !== 404) return <Trouble error={error} />;
  return <p class="panel-wait">The hub has no such event. It may have been removed by retention, or it belongs to another hub.</p>;
}

/** All that is known of one event; of one that cannot be shown, what came. */
export function AnyEvent(props: EventDetailProps) {
  const close = (
    <p>
      <button type="button" class="link" onClick={props.onClose}>
        Close the event
      </button>
    </p>
  );
  return (
    <Boundary of={props.event} instead={close}>
      <EventDetail key={props.event.id} {...props} />
    </Boundary>
  );
}
