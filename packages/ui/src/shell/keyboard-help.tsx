import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.js";
import { hasShortcuts } from "../state/settings.js";
import { type Shortcut, shortcutGroups } from "../state/shortcuts.js";

const isOpen = signal(false);
const KEY_NAMES: { readonly [key: string]: string } = { " ": "Space", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" };

export function toggleHelp(): void {
  isOpen.value = !isOpen.value;
}

/** All keys that do something at the moment, and a switch for those that are single letters. */
export function KeyboardHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={close}>
      {isOpen.value && (
        <>
          <div class="panel-head">
            <h2 id="keys-title">Keyboard</h2>
            <Button icon="close" kind="quiet" label="Close" onClick={close} />
          </div>
          <div class="key-groups">
            {[...merged()].map(([title, shortcuts]) => (
              <section key={title}>
                <h3>{title}</h3>
                <dl>
                  {shortcuts.map(({ keys, label }) => (
                    <div key={label}>
                      <dt>
                        {keys.map((key) => (
                          <kbd key={key} class="key">
                            {KEY_NAMES[key] ?? key}
                          </kbd>
                        ))}
                      </dt>
                      <dd>{label}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={hasShortcuts.value === "on"}
              onChange={(event) => {
                hasShortcuts.value = event.currentTarget.checked ? "on" : "off";
              }}
            />
            Single-letter shortcuts
          </label>
        </>
      )}
    </dialog>
  );
}

function merged(): ReadonlyMap<string, readonly Shortcut[]> {
  const found = new Map<string, Shortcut[]>();
  for (const { title, shortcuts } of shortcutGroups()) found.set(title, [...(found.get(title) ?? []), ...shortcuts]);
  return found;
}
