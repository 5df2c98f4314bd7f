import { useState } from "preact/hooks";
import type { Fault, PolicyChange } from "../api/answers.js";
import { apiErrorOf } from "../api/api-error.js";
import { hub } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { canApprove } from "../state/access.js";
import { sayError } from "../state/notices.js";
import { inert, inertLines } from "../text/inert.js";

/** A change of the policy that waits: shows the difference, then lets the operator accept exactly that. */
export function WaitingChange({ fault }: { readonly fault: Fault }) {
  const [change, setChange] = useState<PolicyChange>();
  const [isOther, setOther] = useState(false);
  const [isSending, setSending] = useState(false);
  const show = async () => {
    setSending(true);
    const answer = await hub.policy().catch(sayError);
    setChange(answer?.changes.find(({ kind, name }) => name === fault.name && (kind === fault.kind || kind === "setting")));
    setSending(false);
  };
  const accept = async ({ id, digest }: PolicyChange) => {
    setSending(true);
    setOther(false);
    try {
      await hub.acceptPolicy(id, digest);
      setChange(undefined);
    } catch (error) {
      // What is on disk now is not what was displayed: the operator must see that before the next click.
      if (apiErrorOf(error).code === "HL_NOT_SHOWN") setOther(true);
      else sayError(error);
      await show();
    }
    setSending(false);
  };
  if (change === undefined)
    return (
      <Button isDisabled={isSending} onClick={() => void show()}>
        Show the change
      </Button>
    );
  return (
    <div class="policy-change">
      {isOther && (
        <p class="policy-other" role="alert">
          It changed after it was shown, so nothing was accepted. This is the change as it is now.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="policy-diff" tabIndex={0} aria-label={`The change of ${inert(change.name)}`}>
        <pre class="mono">{inertLines(change.diff)}</pre>
      </section>
      <p class="dim">
        Digest <span class="mono">{change.digest.slice(0, 12)}</span>
      </p>
      {canApprove.value && (
        <Button kind="danger" isDisabled={isSending} onClick={() => void accept(change)}>
          Accept
        </Button>
      )}
      <Button onClick={() => setChange(undefined)}>Hide</Button>
    </div>
  );
}
