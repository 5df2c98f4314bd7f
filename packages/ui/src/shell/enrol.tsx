import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { EnrolOptionsAnswer } from "../api/answers.js";
import { hub } from "../api/calls.js";
import { createPasskey, digestOf, hexOf } from "../api/confirm.js";
import { Button } from "../parts/button.js";
import { SignInButton } from "../parts/sign-in-button.js";
import { inert } from "../text/inert.js";
import { Logo } from "./logo.js";

/** Shows the page behind an admin's link. The code leaves neither the page nor its address bar. */
export function showEnrolment(root: Element, code: string): void {
  window.history.replaceState(null, "", "/");
  render(<Enrolment code={code} />, root);
}

function Enrolment({ code }: { readonly code: string }) {
  const [options, setOptions] = useState<EnrolOptionsAnswer>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isMade, setMade] = useState(false);
  const attempt = async (what: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    await what().catch((thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : "It did not work."));
    setBusy(false);
  };
  useEffect(() => void attempt(async () => setOptions(await hub.enrolOptions(await idOf(code)))), []);
  const make = () =>
    attempt(async () => {
      if (options === undefined) return;
      const response = await createPasskey(options);
      await hub.enrol({ id: await idOf(code), response, proof: await proofOf(code, response) });
      setMade(true);
    });
  return (
    <main class="signed-out">
      <Logo />
      <h1>{isMade ? "Your passkey is made" : "Make your passkey"}</h1>
      {options !== undefined && !isMade && (
        <>
          <p>
            You are <strong>{inert(options.person)}</strong>, with the role {options.role}. The passkey signs you in at{" "}
            <span class="mono">{inert(options.rpId)}</span>, and signs your answers.
          </p>
          <Button kind="main" isDisabled={isBusy} onClick={() => void make()}>
            Make a passkey
          </Button>
        </>
      )}
      {isMade && (
        <>
          <p>The admin's command puts it on the fleet's roster. That takes a moment; then you can sign in.</p>
          <SignInButton onSignedIn={() => window.location.replace("/")} />
        </>
      )}
      <p class="form-problem" role="status">
        {isBusy ? "Please wait…" : problem}
      </p>
    </main>
  );
}

/** The hub gets the digest of the code only. */
async function idOf(code: string): Promise<string> {
  return hexOf(await digestOf(code));
}

/** Shows the admin that the passkey was made with the link, and was not exchanged on the way. */
async function proofOf(code: string, { id, response }: Awaited<ReturnType<typeof createPasskey>>): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", encode(code), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, encode([id, response.clientDataJSON, response.attestationObject].join("\n"))));
}
