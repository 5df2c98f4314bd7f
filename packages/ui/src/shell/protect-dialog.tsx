import { useEffect, useRef, useState } from "preact/hooks";
import type { ProtectAnswer } from "../api/answers.js";
import { hub } from "../api/calls.js";
import { createPasskey, deriveKey, newRecoveryCode } from "../api/confirm.js";
import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { canApprove } from "../state/access.js";
import { say } from "../state/notices.js";
import { inert } from "../text/inert.js";
import { exactText } from "../text/times.js";

interface ProtectProps {
  readonly facts: ProtectAnswer;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** What is needed to operate the hub, and how to change it. */
export function ProtectDialog({ facts, onChange, onClose }: ProtectProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const act: Act = async (what, done) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await what();
      say(done);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : "It could not be done.");
    }
    setBusy(false);
    onChange();
  };
  return (
    <dialog ref={dialog} class="dialog protect" aria-labelledby="protect-title" onClose={onClose}>
      <div class="panel-head">
        <h2 id="protect-title">Protect is {facts.locked === undefined ? (facts.isOn ? "on" : "off") : "locked"}</h2>
        <Button icon="close" kind="quiet" label="Close" onClick={onClose} />
      </div>
      <p>{facts.locked ?? facts.means}</p>
      {facts.locked !== undefined && (
        <p>
          In a terminal: <Command>hookline protect recover</Command>
        </p>
      )}
      {!canApprove.value && (
        <p>
          This browser is view-only. To change it: <Command>hookline open --approve</Command>
        </p>
      )}
      {canApprove.value &&
        facts.locked === undefined &&
        (facts.isOn ? <Factors facts={facts} isBusy={isBusy} act={act} /> : <TurnOn facts={facts} isBusy={isBusy} act={act} />)}
      <p class="form-problem" role="status">
        {isBusy ? "Please wait…" : problem}
      </p>
    </dialog>
  );
}

type Act = (what: () => Promise<unknown>, done: string) => Promise<void>;
interface PartProps {
  readonly facts: ProtectAnswer;
  readonly isBusy: boolean;
  readonly act: Act;
}

/** First the recovery code, then the factor: without the code, a lost passkey would lock the user out. */
function TurnOn({ facts, isBusy, act }: PartProps) {
  const [code] = useState(newRecoveryCode);
  const [isKept, setKept] = useState(false);
  const on = async (factor: object) => hub.protectOn({ ...factor, recovery: await storedKey(code) });
  return (
    <>
      <p>Your recovery code is shown only now, and works once. Keep it on paper or in a password manager:</p>
      <p class="mono recovery-code">{code}</p>
      <label class="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />I have kept the code
      </label>
      <div class="card-actions">
        <PasskeyButton
          facts={facts}
          isOff={!isKept || isBusy}
          onMade={(made) => act(async () => on({ passkey: await made() }), "Protect is on.")}
        >
          Turn on with a passkey
        </PasskeyButton>
      </div>
      <PassphraseForm
        label="Turn on with a passphrase"
        isOff={!isKept || isBusy}
        onChosen={(secret) => act(async () => on({ passphrase: await storedKey(secret) }), "Protect is on.")}
      />
    </>
  );
}

function Factors({ facts, isBusy, act }: PartProps) {
  const [code, setCode] = useState<string>();
  const renewCode = () => {
    const made = newRecoveryCode();
    return act(async () => {
      await hub.renewRecovery(await storedKey(made));
      setCode(made);
    }, "The old recovery code is void.");
  };
  return (
    <>
      <h3>Passkeys</h3>
      {facts.passkeys.length === 0 && <p class="dim">None.</p>}
      <ul class="factors">
        {facts.passkeys.map(({ id, name, addedAt }) => (
          <li key={id}>
            <span title={`Added ${exactText(Date.parse(addedAt))}`}>{inert(name)}</span>
            <Button isDisabled={isBusy} onClick={() => void act(() => hub.removeFactor({ passkey: id }), "The passkey was removed.")}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <PasskeyButton
        facts={facts}
        isOff={isBusy}
        onMade={(made) => act(async () => hub.addFactor({ passkey: await made() }), "The passkey was added.")}
      >
        Add a passkey
      </PasskeyButton>
      <h3>Passphrase</h3>
      <p class="dim">{facts.passphrase ? "Set." : "None: commands in a terminal need one."}</p>
      <PassphraseForm
        label="Set a new passphrase"
        isOff={isBusy}
        onChosen={(secret) =>
          act(async () => hub.addFactor({ passphrase: await storedKey(secret) }), "The new passphrase counts from now on.")
        }
      />
      {code !== undefined && (
        <>
          <p>Your new recovery code, which is shown only now:</p>
          <p class="mono recovery-code">{code}</p>
        </>
      )}
      <div class="card-actions">
        <Button isDisabled={isBusy} onClick={() => void renewCode()}>
          Replace the recovery code
        </Button>
        <Button kind="danger" isDisabled={isBusy} onClick={() => void act(hub.protectOff, "Protect is off.")}>
          Turn off
        </Button>
      </div>
    </>
  );
}

async function storedKey(secret: string): Promise<{ readonly salt: string; readonly publicKey: string }> {
  const { salt, publicKey } = await deriveKey(secret);
  return { salt, publicKey };
}

interface PasskeyButtonProps {
  readonly facts: ProtectAnswer;
  readonly isOff: boolean;
  readonly onMade: (made: () => Promise<object>) => Promise<void>;
  readonly children: string;
}

function PasskeyButton({ facts, isOff, onMade, children }: PasskeyButtonProps) {
  if (facts.passkeysAt !== window.location.hostname)
    return (
      <p class="dim">
        Passkeys need the dashboard's own address, &lt;name&gt;.localhost: <Command>hookline open --approve</Command>
      </p>
    );
  const make = async () => ({
    name: `passkey of ${new Date().toISOString().slice(0, 10)}`,
    response: await createPasskey(await hub.passkeyOptions()),
  });
  return (
    <Button kind="main" isDisabled={isOff} onClick={() => void onMade(make)}>
      {children}
    </Button>
  );
}

const [MIN_LENGTH, MIN_DIFFERENT] = [14, 8];

interface PassphraseFormProps {
  readonly label: string;
  readonly isOff: boolean;
  readonly onChosen: (passphrase: string) => Promise<void>;
}

function PassphraseForm({ label, isOff, onChosen }: PassphraseFormProps) {
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const isGood = [...first].length >= MIN_LENGTH && new Set(first).size >= MIN_DIFFERENT && first === second;
  const submit = async () => {
    await onChosen(first);
    setFirst("");
    setSecond("");
  };
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isGood && !isOff) void submit();
      }}
    >
      <label>
        New passphrase{" "}
        <span class="dim">
          ({MIN_LENGTH} characters or more, {MIN_DIFFERENT} of them different)
        </span>
        <input type="password" autocomplete="off" value={first} onInput={(event) => setFirst(event.currentTarget.value)} />
      </label>
      <label>
        The same again
        <input type="password" autocomplete="off" value={second} onInput={(event) => setSecond(event.currentTarget.value)} />
      </label>
      <div class="card-actions">
        <Button isDisabled={isOff || !isGood} onClick={() => void submit()}>
          {label}
        </Button>
      </div>
    </form>
  );
}
