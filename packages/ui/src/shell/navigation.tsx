import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Icon, type IconName } from "../parts/icon.js";
import { canApprove, fleetId, me, person, signOut } from "../state/access.js";
import { waitingCount } from "../state/approvals.js";
import { type Connection, connection } from "../state/connection.js";
import { hrefOf, type View, view } from "../state/location.js";
import { theme } from "../state/settings.js";
import { Logo } from "./logo.js";
import { ProtectState } from "./protect-state.js";

const NAVIGATION: readonly { readonly view: View; readonly label: string; readonly key: string }[] = [
  { view: "live", label: "Live", key: "l" },
  { view: "approvals", label: "Approvals", key: "a" },
  { view: "sessions", label: "Sessions", key: "s" },
  { view: "overview", label: "Overview", key: "o" },
  { view: "handlers", label: "Handlers", key: "h" },
  { view: "flow", label: "Sinks & sources", key: "f" },
  { view: "transcript", label: "Transcript", key: "t" },
];

/** Of a fleet hub. */
const FLEET: typeof NAVIGATION = [
  { view: "hosts", label: "Hosts", key: "m" },
  { view: "audit", label: "Audit", key: "u" },
];

/** What there is to see in this hub. */
export function shownViews(): typeof NAVIGATION {
  return fleetId.value === undefined ? NAVIGATION : [...NAVIGATION.slice(0, 2), ...FLEET, ...NAVIGATION.slice(2)];
}

const THEME_ICONS: { readonly [theme: string]: IconName } = { system: "system", light: "sun", dark: "moon" };
const THEME_NAMES: { readonly [theme: string]: string } = { system: "as the system", light: "light", dark: "dark" };

export function Navigation({ onTheme, onHelp }: { readonly onTheme: () => void; readonly onHelp: () => void }) {
  const list = useRef<HTMLUListElement>(null);
  const waiting = waitingCount.value;
  // The number of calls that wait makes the list wider.
  useEffect(
    () => list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }),
    [view.value, waiting > 0],
  );
  return (
    <header class="side">
      <div class="brand">
        <Logo />
        <span>Hookline</span>
      </div>
      <nav aria-label="Views">
        <ul ref={list}>
          {shownViews().map((item) => (
            <li key={item.view}>
              <a href={hrefOf(item.view)} aria-current={view.value === item.view ? "page" : undefined}>
                <Icon name={item.view} />
                <span>{item.label}</span>
                {item.view === "approvals" && waiting > 0 && (
                  <span class="badge">
                    {waiting}
                    <span class="unseen"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <ConnectionState />
        {typeof me.value === "object" && (
          <span class="dim">
            <span class="side-version">{me.value.version} </span>
            {person.value !== undefined && (
              <span class="side-scope" title="The person of the fleet who is signed in, and their role">
                {person.value.name}, {person.value.role}
              </span>
            )}
            {!canApprove.value && person.value === undefined && (
              <span class="side-scope" title="To approve waiting calls: hookline open --approve">
                read only
              </span>
            )}
          </span>
        )}
        {person.value === undefined && <ProtectState />}
        <button type="button" class="link side-out" onClick={() => void signOut()}>
          Sign out
        </button>
        <div class="side-buttons">
          <Button icon={THEME_ICONS[theme.value] ?? "system"} kind="quiet" label={`Theme: ${THEME_NAMES[theme.value]}`} onClick={onTheme} />
          <Button icon="keyboard" kind="quiet" label="Keyboard shortcuts" onClick={onHelp} />
        </div>
      </div>
    </header>
  );
}

const WORDS: { readonly [state in Connection]: string } = {
  connecting: "Connecting…",
  live: "Connected",
  resting: "Resting",
  restarting: "Hub restarting…",
  lost: "Hub away",
  stopped: "Hub stopped",
};

function ConnectionState() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state}`}>
      <span class="connection-dot" aria-hidden="true" />
      {WORDS[state]}
    </span>
  );
}
