import { Command } from "../parts/command.js";
import { SignInButton } from "../parts/sign-in-button.js";
import { Logo } from "./logo.js";

/** A fleet's dashboard in a browser that is not signed in. */
export function SignIn() {
  return (
    <main class="signed-out">
      <Logo />
      <h1>Sign in to the fleet</h1>
      <p>People of the fleet sign in with the passkey that they made at this address.</p>
      <SignInButton onSignedIn={() => window.location.reload()} />
      <p class="dim">
        No passkey yet? The fleet's admin makes a link for you: <Command>hookline fleet people enrol &lt;name&gt;</Command>
      </p>
      <p class="dim">
        The operator of this hub opens it with <Command>hookline open</Command>
      </p>
    </main>
  );
}

/** The public address in a browser that is not signed in. */
export function PhoneSignIn() {
  return (
    <main class="signed-out">
      <Logo />
      <h1>Sign in</h1>
      <p>Use the passkey that you made at this address.</p>
      <SignInButton onSignedIn={() => window.location.reload()} />
      <p class="dim">
        No passkey on this device? On the hub's machine: <Command>hookline open --phone</Command>
      </p>
    </main>
  );
}
