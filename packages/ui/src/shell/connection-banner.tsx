import { Command } from "../parts/command.js";
import { connection } from "../state/connection.js";

/** What a reader must know before believing what stands below. */
export function ConnectionBanner() {
  const state = connection.value;
  return (
    <div role="status">
      {state === "restarting" && <p class="banner">The hub is restarting… What you see is from before; the page goes on by itself.</p>}
      {(state === "lost" || state === "stopped") && (
        <p class="banner">
          {state === "lost" ? "The hub does not answer." : "The hub has stopped."} What you see is from before. To start it, in a terminal:{" "}
          <Command>hookline up</Command> The page then goes on by itself.
        </p>
      )}
    </div>
  );
}
