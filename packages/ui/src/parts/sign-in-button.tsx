import { useState } from "preact/hooks";
import { bytesOf } from "../api/bytes.js";
import { hub } from "../api/calls.js";
import { signWithPasskey } from "../api/confirm.js";
import { keepKey } from "../api/page-key.js";
import { recogniseMe } from "../state/access.js";
import { Button } from "./button.js";

const WAIT_MS = 120_000;

async function signIn(): Promise<void> {
  const { challenge, rpId } = await hub.signInOptions();
  const { key } = await hub.signIn(await signWithPasskey({ challenge: bytesOf(challenge), rpId, forMs: WAIT_MS }));
  keepKey(key);
}

/** Signs a person in with a passkey. The browser's login before that ends. */
export function SignInButton({ onSignedIn = recogniseMe }: { readonly onSignedIn?: () => unknown }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn();
      await onSignedIn();
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : "It did not work.");
    }
    setBusy(false);
  };
  return (
    <>
      <Button kind="main" isDisabled={isBusy} onClick={() => void start()}>
        Sign in with a passkey
      </Button>
      <p class="form-problem" role="status">
        {isBusy ? "Waiting for your passkey…" : problem}
      </p>
    </>
  );
}
