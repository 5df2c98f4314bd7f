import { useState } from "preact/hooks";
import { MAX_STEER_CHARS } from "../../../../hookline/src/hub/protocol.js";
import { hub } from "../../api/calls.js";
import { say, sayError } from "../../state/notices.js";

interface SteerFormProps {
  readonly session: string;
  readonly onSent: () => void;
}

/** A message or a reminder for the session's model. */
export function SteerForm({ session, onSent }: SteerFormProps) {
  const [kind, setKind] = useState<"inject" | "remind">("inject");
  const [text, setText] = useState("");
  const [interrupt, setInterrupt] = useState(false);
  const [turns, setTurns] = useState("");
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    if (isSending || text.trim() === "") return;
    setSending(true);
    try {
      const { status, agent } = await (kind === "inject"
        ? hub.inject(session, { text, interrupt })
        : hub.remind(session, { body: text, ...(turns !== "" && { ttlTurns: Number(turns) }) }));
      say(status === "sent" ? `Sent to ${agent}.` : `It waits for the next event of ${agent}.`);
      setText("");
      setInterrupt(false);
      onSent();
    } catch (thrown) {
      sayError(thrown);
    }
    setSending(false);
  };
  return (
    <form
      class="card-form steer-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <fieldset class="steer-kind">
        <legend class="unseen">What to send</legend>
        {(["inject", "remind"] as const).map((which) => (
          <label key={which} class="check">
            <input type="radio" name="steer-kind" checked={kind === which} onChange={() => setKind(which)} />
            {which === "inject" ? "Message, told once" : "Reminder, told at each turn"}
          </label>
        ))}
      </fieldset>
      <label>
        What the model is told, in the operator's words
        <textarea
          rows={2}
          maxLength={MAX_STEER_CHARS}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void send()}
        />
      </label>
      <div class="card-actions">
        <button type="submit" class="button button-main" disabled={text.trim() === ""} aria-disabled={isSending ? "true" : undefined}>
          Send
        </button>
        {kind === "inject" ? (
          <label class="check">
            <input type="checkbox" checked={interrupt} onChange={(event) => setInterrupt(event.currentTarget.checked)} />
            Interrupt: block the next tool call
          </label>
        ) : (
          <label class="check steer-turns">
            <input type="number" min="1" step="1" value={turns} onInput={(event) => setTurns(event.currentTarget.value)} />
            turns; without a number, until the session ends
          </label>
        )}
      </div>
    </form>
  );
}
