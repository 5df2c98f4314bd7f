import { useState } from "preact/hooks";
import { hub } from "../api/calls.js";
import { canApprove } from "../state/access.js";
import { say, sayError } from "../state/notices.js";
import { Button } from "./button.js";
import { Command } from "./command.js";

/** Starts the scripted agent, so that there is something to see. */
export function DemoButton() {
  const [isStarting, setStarting] = useState(false);
  const start = async () => {
    setStarting(true);
    try {
      await hub.demo();
      say("The demo agent is running. Its events appear now.");
    } catch (thrown) {
      sayError(thrown);
    }
    setStarting(false);
  };
  if (!canApprove.value)
    return (
      <p>
        To see one at work: <Command>hookline demo</Command>
      </p>
    );
  return (
    <Button icon="play" kind="main" isDisabled={isStarting} onClick={start}>
      Run the demo agent
    </Button>
  );
}
