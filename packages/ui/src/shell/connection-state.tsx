import { type Connection, connection } from "../state/connection.js";

const WORDS: { readonly [state in Connection]: string } = {
  connecting: "Connecting…",
  live: "Connected",
  resting: "Resting",
  restarting: "Hub restarting…",
  lost: "Hub away",
  stopped: "Hub stopped",
};

export function ConnectionState() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state}`}>
      <span class="connection-dot" aria-hidden="true" />
      {WORDS[state]}
    </span>
  );
}
