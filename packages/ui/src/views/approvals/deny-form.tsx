import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";

interface DenyFormProps {
  /** Nothing can be answered at the moment. */
  readonly isOff: boolean;
  readonly onDeny: (reason: string) => void;
  readonly onCancel: () => void;
}

/** A reason helps the agent to do something else. */
export function DenyForm({ isOff, onDeny, onCancel }: DenyFormProps) {
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) onDeny(reason.trim());
      }}
    >
      <label>
        Why not? The agent is told. <span class="dim">(may be empty)</span>
        <input
          ref={input}
          type="text"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && onCancel()}
        />
      </label>
      <div class="card-actions">
        <Button icon="deny" kind="danger" keyHint="Enter" isDisabled={isOff} onClick={() => onDeny(reason.trim())}>
          Deny
        </Button>
        <Button kind="quiet" keyHint="Esc" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}
