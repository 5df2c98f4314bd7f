import type { ComponentChildren } from "preact";

/** The head of a view: what it is, a line about it, and what can be done with it. */
export function ViewHead({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
      {about !== undefined && <p class="dim view-about">{about}</p>}
      <div class="view-actions">{children}</div>
    </header>
  );
}
