import { useEffect, useState } from "preact/hooks";
import { hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { canApprove, phone, recogniseMe } from "../../state/access.js";

const LOOK_MS = 2_000;
/** Names of this machine, and its addresses. */
const IS_LOCAL = /^(127\..*|\[::1\]|([\w-]+\.)?localhost)$/.test(window.location.hostname);

/** Why this browser cannot answer, and what to do about it. */
export function ViewOnly() {
  if (phone.value !== undefined) return <PhonePasskey />;
  if (canApprove.value) return null;
  if (IS_LOCAL)
    return (
      <p class="said">
        This page may look, not answer. To answer: <Command>hookline open --approve</Command>
      </p>
    );
  return (
    <p class="said">
      {window.location.protocol === "https:"
        ? "This browser may look, not answer. To answer from here, on the hub's machine: "
        : "From this address the dashboard is view-only, because the connection is not encrypted. To answer from a phone, the hub needs an https address: "}
      <Command>{window.location.protocol === "https:" ? "hookline open --phone" : "publicUrl in [hub]"}</Command>
    </p>
  );
}

/** At the public address: makes a passkey, which counts once a person at the hub's machine has typed its number. */
function PhonePasskey() {
  const [code, setCode] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [before] = useState(phone.value?.passkeys ?? 0);
  const count = phone.value?.passkeys ?? 0;
  const isAccepted = code !== undefined && count > before;
  useEffect(() => {
    if (code === undefined || isAccepted) return;
    const timer = setInterval(() => void recogniseMe(), LOOK_MS);
    return () => clearInterval(timer);
  }, [code, isAccepted]);
  const make = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { createPasskey } = await import("../../api/confirm.js");
      const response = await createPasskey({ ...(await hub.phonePasskeyOptions()), signsIn: true });
      setCode((await hub.proposePhone({ name: deviceName(), response })).code);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : "It did not work.");
    }
    setBusy(false);
  };
  if (isAccepted) return <p class="said">This phone can answer now: each answer asks for its passkey.</p>;
  if (code !== undefined)
    return (
      <div class="said phone-code" role="status">
        <p>Type this number on the hub's machine, where the QR code is shown:</p>
        <p class="mono recovery-code">{`${code.slice(0, 3)} ${code.slice(3)}`}</p>
        <p class="dim">
          Or there, in another terminal: <Command>{`hookline phones accept ${code}`}</Command>
        </p>
      </div>
    );
  return (
    <div class="said phone-passkey">
      <p>
        {count === 0
          ? "This phone may look, not answer. To answer from here, make a passkey on it."
          : "Each answer asks for a passkey of this address. If this device has none, make one."}
      </p>
      <Button kind={count === 0 ? "main" : "plain"} isDisabled={isBusy} onClick={() => void make()}>
        Make a passkey
      </Button>
      {problem !== undefined && (
        <p class="form-problem" role="status">
          {problem}
        </p>
      )}
    </div>
  );
}

function deviceName(): string {
  const [device = "phone"] = /iPhone|iPad|Android|Macintosh|Windows|Linux/.exec(navigator.userAgent) ?? [];
  return `${device} of ${new Date().toISOString().slice(0, 10)}`;
}
