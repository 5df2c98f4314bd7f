import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hub } from "../api/calls.js";
import { Boundary } from "../parts/boundary.js";
import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { Icon } from "../parts/icon.js";
import { fleetId, me, wasSignedIn } from "../state/access.js";
import { connection } from "../state/connection.js";
import { noteAct } from "../state/deliberate.js";
import { fleetParts } from "../state/fleet-parts.js";
import { followLinks, goTo, hrefOf, type View, view } from "../state/location.js";
import { dismiss, notices } from "../state/notices.js";
import { theme } from "../state/settings.js";
import { handleKey, useShortcuts } from "../state/shortcuts.js";
import { ApprovalsView } from "../views/approvals/approvals-view.js";
import { FlowView } from "../views/flow/flow-view.js";
import { HandlersView } from "../views/handlers/handlers-view.js";
import { LiveView } from "../views/live/live-view.js";
import { OverviewView } from "../views/overview/overview-view.js";
import { SessionsView } from "../views/sessions/session-list.js";
import { TranscriptView } from "../views/transcript/transcript-view.js";
import { AlarmBanner } from "./alarm-banner.js";
import { FaultBanner } from "./fault-banner.js";
import { KeyboardHelp, toggleHelp } from "./keyboard-help.js";
import { Logo } from "./logo.js";
import { Navigation, shownViews } from "./navigation.js";
import { PauseBanner } from "./pause-banner.js";

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
    ...shownViews().map(({ view, label, key }) => ({
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
          <AlarmBanner />
          <PauseBanner />
          <FaultBanner />
        </div>
        <CurrentView />
      </main>
      <Notices />
      <KeyboardHelp />
    </div>
  );
}

/** Navigation within the dashboard is deliberate. */
function goByKey({ isTrusted }: KeyboardEvent, to: View): void {
  if (isTrusted) noteAct();
  goTo(hrefOf(to));
}

function nextTheme(): void {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
}

/** What a reader must know before believing what stands below. */
function ConnectionBanner() {
  const state = connection.value;
  return (
    <div role="status">
      {state === "restarting" && (
        <p class="banner">The hub is restarting… You see the state before the restart. The dashboard continues by itself.</p>
      )}
      {(state === "lost" || state === "stopped") && (
        <p class="banner">
          {state === "lost" ? "The hub does not answer." : "The hub has stopped."} What you see is from before. To start it, in a terminal:{" "}
          <Command>hookline up</Command> The dashboard then continues by itself.
        </p>
      )}
    </div>
  );
}

/** All of them are loaded with the page: one that is opened while the hub is away is there. Those of a fleet come with its dashboard. */
const VIEWS: { readonly [V in View]?: ComponentType } = {
  live: LiveView,
  sessions: SessionsView,
  approvals: ApprovalsView,
  handlers: HandlersView,
  flow: FlowView,
  overview: OverviewView,
  transcript: TranscriptView,
};

function CurrentView() {
  const { hosts = Coming, audit = Coming } = fleetParts.value?.views ?? {};
  const ofFleet = fleetId.value === undefined ? {} : { hosts, audit };
  const Current = { ...VIEWS, ...ofFleet }[view.value] ?? LiveView;
  return (
    <Boundary key={view.value}>
      <Current />
    </Boundary>
  );
}

/** While the parts of a fleet's dashboard are loaded. */
function Coming() {
  return <section class="view" aria-busy="true" />;
}

function SignedOut() {
  const [SignIn, setSignIn] = useState<{ readonly Form: ComponentType }>();
  useEffect(() => void offerSignIn(setSignIn), []);
  if (SignIn !== undefined) return <SignIn.Form />;
  return (
    <main class="signed-out">
      <Logo />
      <h1>{wasSignedIn.value ? "You are signed out" : "This browser is not signed in"}</h1>
      <p>
        The hub shows its events only in a browser that was opened with a one-time link. To create one, run in a terminal on the hub's
        machine:
      </p>
      <p>
        <Command>hookline open</Command> <span class="dim">to look</span>
      </p>
      <p>
        <Command>hookline open --approve</Command> <span class="dim">to view and to approve</span>
      </p>
      <Button onClick={() => window.location.reload()}>Try again</Button>
    </main>
  );
}

/** People of a fleet, and phones with a passkey, sign in without a link. */
async function offerSignIn(show: (form: { readonly Form: ComponentType }) => void): Promise<void> {
  try {
    const { passkeys, fleet } = await hub.signInWays();
    const { SignIn, PhoneSignIn } = await import("./sign-in.js");
    if (passkeys) show({ Form: fleet ? SignIn : PhoneSignIn });
  } catch {
    // The hub is away: the page says what else helps.
  }
}

const ICONS = { good: "allow", denied: "deny", bad: "warn" } as const;

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text, fix }) => (
        <div key={id} class={`notice notice-${kind}`}>
          <Icon name={ICONS[kind]} size={14} />
          <p>
            {text}
            {fix !== undefined && <span class="dim"> {fix}</span>}
          </p>
          <Button icon="close" kind="quiet" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
