import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { wasSignedIn } from "../state/access.js";
import { Logo } from "./logo.js";

export function SignedOut() {
  return (
    <main class="signed-out">
      <Logo />
      <h1>{wasSignedIn.value ? "You are signed out" : "This page is not signed in"}</h1>
      <p>The hub shows its events only in a browser that was opened by a link. To make one, in a terminal on its machine:</p>
      <p>
        <Command>hookline open</Command> <span class="dim">to look</span>
      </p>
      <p>
        <Command>hookline open --approve</Command> <span class="dim">to look and to answer</span>
      </p>
      <Button onClick={() => window.location.reload()}>Try again</Button>
    </main>
  );
}
