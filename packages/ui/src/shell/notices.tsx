import { Button } from "../parts/button.js";
import { Icon } from "../parts/icon.js";
import { dismiss, notices } from "../state/notices.js";

const ICONS = { good: "allow", denied: "deny", bad: "warn" } as const;

export function OwnEvents() {
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
