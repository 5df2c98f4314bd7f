import { Boundary } from "../../parts/boundary.js";
import { EventDetail, type EventDetailProps } from "./event-detail.js";

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
