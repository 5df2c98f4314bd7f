import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Where there is nothing: why, and what to do next. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
