/** Something to type into a terminal. */
export function Command({ children }: { readonly children: string }) {
  return <code class="command">{children}</code>;
}
