import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** For a button that shows nothing but its icon. */
  readonly label?: string;
  readonly kind?: "plain" | "main" | "danger" | "quiet";
  readonly keyHint?: string | undefined;
  readonly isDisabled?: boolean;
  /** Cannot be pressed for a moment, and keeps the focus meanwhile. */
  readonly isWaiting?: boolean;
  readonly isPressed?: boolean;
  readonly title?: string;
  readonly onClick: () => void;
}

export function Button({ children, icon, label, kind = "plain", keyHint, isDisabled, isWaiting, isPressed, title, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button button-${kind}`}
      disabled={isDisabled}
      aria-disabled={isWaiting === true ? "true" : undefined}
      aria-label={label}
      aria-pressed={isPressed}
      aria-keyshortcuts={keyHint}
      title={title ?? label}
      onClick={isWaiting === true ? undefined : onClick}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
      {keyHint !== undefined && (
        <span class="key" aria-hidden="true">
          {keyHint}
        </span>
      )}
    </button>
  );
}
