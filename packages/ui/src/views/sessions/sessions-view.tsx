import { params } from "../../state/location.js";
import { SessionList } from "./session-list.js";
import { Timeline } from "./timeline.js";

/** All sessions, or the timeline of the one in the address. */
export function SessionsView() {
  const session = params.value.get("session");
  return session === null ? <SessionList /> : <Timeline key={session} session={session} />;
}
