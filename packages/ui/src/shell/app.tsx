import { useEffect } from "preact/hooks";
import { me } from "../state/access.js";
import { noteAct } from "../state/deliberate.js";
import { followLinks, goTo, hrefOf, type View } from "../state/location.js";
import { theme } from "../state/settings.js";
import { handleKey, useShortcuts } from "../state/shortcuts.js";
import { ConnectionBanner } from "./connection-banner.js";
import { CurrentView } from "./current-view.js";
import { FaultBanner } from "./fault-banner.js";
import { KeyboardHelp, toggleHelp } from "./keyboard-help.js";
import { NAVIGATION, Navigation } from "./navigation.js";
import { OwnEvents } from "./notices.js";
import { PauseBanner } from "./pause-banner.js";
import { SignedOut } from "./signed-out.js";

/** The page: what stays while views change. */
export function App() {
  useEffect(() => {
    document.addEventListener("click", followLinks);
    document.addEventListener("keydown", handleKey);
    return () => {
      document.removeEventListener("click", followLinks);
      document.removeEventListener("keydown", handleKey);
    };
  }, []);
  useShortcuts("Everywhere", [
    ...NAVIGATION.map(({ view, label, key }) => ({
      keys: [`g ${key}`],
      label: `Go to ${label}`,
      run: (event: KeyboardEvent) => goByKey(event, view),
    })),
    { keys: ["?"], label: "This list", run: toggleHelp },
    { keys: ["t"], label: "Light, dark or as the system", run: nextTheme },
  ]);
  if (me.value === "nobody") return <SignedOut />;
  return (
    <div class="page">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Navigation onTheme={nextTheme} onHelp={toggleHelp} />
      <main id="main" tabIndex={-1}>
        <div class="banners">
          <ConnectionBanner />
          <PauseBanner />
          <FaultBanner />
        </div>
        <CurrentView />
      </main>
      <OwnEvents />
      <KeyboardHelp />
    </div>
  );
}

/** Who goes somewhere on this page means it. */
function goByKey({ isTrusted }: KeyboardEvent, to: View): void {
  if (isTrusted) noteAct();
  goTo(hrefOf(to));
}

function nextTheme(): void {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
}
