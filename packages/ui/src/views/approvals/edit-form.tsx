import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { type EditDraft, readDraft, toDraft } from "./edit-draft.js";

interface EditFormProps {
  readonly payload: unknown;
  /** Nothing can be answered at the moment. */
  readonly isOff: boolean;
  readonly onAllow: (payload: unknown) => void;
  readonly onCancel: () => void;
}

/** Another call instead of this one; every guard looks at it again. */
export function EditForm({ payload, isOff, onAllow, onCancel }: EditFormProps) {
  const [draft, setDraft] = useState<EditDraft>(() => toDraft(payload));
  const input = useRef<HTMLTextAreaElement>(null);
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => input.current?.focus(), []);
  const read = readDraft(draft, payload);
  const submit = () => {
    if ("payload" in read && !isOff) onAllow(read.payload);
  };
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label>
        {draft.kind === "command" ? "Command to run instead" : "Input for the tool instead, as JSON"}
        <textarea
          ref={input}
          class="mono"
          rows={Math.min(16, draft.text.split("\n").length + 1)}
          value={draft.text}
          spellcheck={false}
          aria-invalid={"problem" in read}
          onInput={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape") onCancel();
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
          }}
        />
      </label>
      {"problem" in read && (
        <p class="form-problem" role="alert">
          {read.problem}
        </p>
      )}
      <div class="card-actions">
        <Button icon="allow" kind="main" keyHint="Ctrl Enter" isDisabled={isOff || "problem" in read} onClick={submit}>
          Allow this instead
        </Button>
        <Button kind="quiet" keyHint="Esc" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}
