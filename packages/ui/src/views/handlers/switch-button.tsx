import { type HandlerRef, hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { canApprove } from "../../state/access.js";
import { say, sayError } from "../../state/notices.js";

interface SwitchProps {
  readonly of: HandlerRef;
  readonly isOn: boolean;
  readonly onChanged: () => void;
}

/** Switches a hook or a rule on or off in its file. */
export function SwitchButton({ of, isOn, onChanged }: SwitchProps) {
  const change = async () => {
    try {
      await hub.switchHandler(of, !isOn);
      say(isOn ? "Switched off." : "Switched on.");
    } catch (thrown) {
      sayError(thrown);
    }
    onChanged();
  };
  return (
    <Button kind={isOn ? "danger" : "plain"} isDisabled={!canApprove.value} onClick={() => void change()}>
      {isOn ? "Disable" : "Enable"}
    </Button>
  );
}
