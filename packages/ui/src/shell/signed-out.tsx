import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { Logo } from "./logo.js";

export function SignedOut() {
  return (
    <main class="signed-out">
      <Logo />
      <h1>This page is not signed in</h1>
      <p>The hub shows events only to who has a link. In a terminal on its machine:</p>
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
