import { useState } from "preact/hooks";
import { hub } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { Icon } from "../parts/icon.js";
import { canApprove } from "../state/access.js";
import { say, sayError } from "../state/notices.js";
import { useLoaded } from "../state/use-loaded.js";
import { inert } from "../text/inert.js";
import { secondsText } from "../text/times.js";

const EVERY_MS = 3_000;

/** That the hub's guards are paused, on every view until they are on again. */
export function PauseBanner() {
  const { data, reload } = useLoaded(hub.pause, "pause", EVERY_MS);
  const [isEnding, setEnding] = useState(false);
  const paused = data?.paused;
  const end = async () => {
    setEnding(true);
    try {
      await hub.resume();
      say("The hub's guards are active again.");
    } catch (thrown) {
      sayError(thrown);
    }
    setEnding(false);
    reload();
  };
  return (
    <div role="status" aria-label="Paused guards">
      {paused !== undefined && (
        <div class="banner banner-fault banner-paused">
          <Icon name="warn" size={14} />
          <p>
            <strong>
              Guards are paused by {inert(paused.by)} until {secondsText(Date.parse(paused.until))}.
            </strong>{" "}
            Every call passes and is recorded as paused.{paused.reason !== undefined && ` Reason: ${inert(paused.reason)}`}
            {!canApprove.value && (
              <>
                {" "}
                To end it: <Command>hookline resume</Command>
              </>
            )}
          </p>
          {canApprove.value && (
            <Button kind="main" isDisabled={isEnding} onClick={end}>
              Resume guards
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
