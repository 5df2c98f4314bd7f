import { Command } from "../parts/command.js";
import { connection } from "../state/connection.js";

/** What a reader must know before believing what stands below. */
export function ConnectionBanner() {
  const state = connection.value;
  return (
    <div role="status">
      {state === "restarting" && <p class="banner">The hub is restarting… What you see is from before; the page goes on by itself.</p>}
      {state === "lost" && (
        <p class="banner">
          The hub does not answer. What you see is from before; the page tries again by itself. To start it: <Command>hookline up</Command>
        </p>
      )}
    </div>
  );
}
