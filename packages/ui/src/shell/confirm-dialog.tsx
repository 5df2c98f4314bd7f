import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ConfirmNeeded } from "../api/answers.js";
import { ApiError } from "../api/api-error.js";
import { confirmWithCode, confirmWithKey, confirmWithPasskey, deriveKey, type Unconfirmed } from "../api/confirm.js";
import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { inert } from "../text/inert.js";

/** A challenge that the person took longer to answer is replaced before it expires. */
const FRESH_MS = 60_000;

/** Shows what the request does, and gives the header that confirms it. Rejects if the person does not confirm it. */
export function askPerson(needed: ConfirmNeeded, request: Unconfirmed, again: () => Promise<ConfirmNeeded>): Promise<string> {
  const host = document.body.appendChild(document.createElement("div"));
  const end = (): void => {
    render(null, host);
    host.remove();
  };
  return new Promise<string>((resolve, reject) => {
    const refuse = () => reject(new ApiError(0, { code: "HL_CONFIRM", message: "Not confirmed. Nothing was done." }));
    render(<ConfirmDialog needed={needed} request={request} again={again} onConfirm={resolve} onCancel={refuse} />, host);
  }).finally(end);
}

interface ConfirmProps {
  readonly needed: ConfirmNeeded;
  readonly request: Unconfirmed;
  readonly again: () => Promise<ConfirmNeeded>;
  readonly onConfirm: (header: string) => void;
  readonly onCancel: () => void;
}

function ConfirmDialog({ needed, request, again, onConfirm, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [passphrase, setPassphrase] = useState("");
  const [code, setCode] = useState("");
  const [openedAt] = useState(() => performance.now());
  const { passkey, passphrase: known, totp = false } = needed.factors;
  const isCode = /^\d{6}$/.test(code);
  const hasPasskey = passkey !== undefined && passkey.rpId === window.location.hostname;

  const attempt = async (confirm: (fresh: ConfirmNeeded) => Promise<string>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const fresh = performance.now() - openedAt < FRESH_MS ? needed : await again();
      if (fresh.allows !== needed.allows) throw new Error("What this would do has changed meanwhile. Cancel, and look at it again.");
      onConfirm(await confirm(fresh));
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : "It could not be confirmed.");
      setBusy(false);
    }
  };
  const byCode = () => attempt((fresh) => confirmWithCode(fresh, request, code));
  const byPasskey = () => attempt((fresh) => confirmWithPasskey(fresh, request));
  const byPassphrase = () =>
    attempt(async (fresh) => {
      const key = await deriveKey(passphrase, known?.salt);
      if (key.publicKey !== known?.publicKey) throw new Error("That is not the passphrase.");
      return confirmWithKey(fresh, request, key);
    });

  useEffect(() => {
    dialog.current?.showModal();
    if (hasPasskey) void byPasskey();
  }, []);
  return (
    <dialog ref={dialog} class="dialog confirm" aria-labelledby="confirm-title" onClose={onCancel}>
      <div class="panel-head">
        <h2 id="confirm-title">Confirm</h2>
      </div>
      <p>You allow exactly this:</p>
      <p class="said said-ask confirm-what">{inert(needed.allows)}</p>
      <form
        class="card-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy) return;
          if (isCode) void byCode();
          else if (passphrase !== "") void byPassphrase();
        }}
      >
        {known !== undefined && (
          <label>
            Passphrase
            <input
              type="password"
              autocomplete="off"
              value={passphrase}
              disabled={isBusy}
              onInput={(event) => setPassphrase(event.currentTarget.value)}
            />
          </label>
        )}
        {totp && (
          <label>
            Code of your authenticator app
            <input
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={6}
              value={code}
              disabled={isBusy}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
        )}
        {!hasPasskey && known === undefined && !totp && (
          <p>
            Your passkey works only at the dashboard's own address. To open it: <Command>hookline open --approve</Command>
          </p>
        )}
        <p class="form-problem" role="status">
          {isBusy ? "Waiting for your confirmation…" : problem}
        </p>
        <div class="card-actions">
          {hasPasskey && (
            <Button kind="main" isDisabled={isBusy} onClick={() => void byPasskey()}>
              Use your passkey
            </Button>
          )}
          {known !== undefined && (
            <Button kind={hasPasskey ? "plain" : "main"} isDisabled={isBusy || passphrase === ""} onClick={() => void byPassphrase()}>
              Confirm with the passphrase
            </Button>
          )}
          {totp && (
            <Button
              kind={hasPasskey || known !== undefined ? "plain" : "main"}
              isDisabled={isBusy || !isCode}
              onClick={() => void byCode()}
            >
              Confirm with the code
            </Button>
          )}
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </form>
    </dialog>
  );
}
