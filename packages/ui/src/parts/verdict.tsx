import { Icon, type IconName } from "./icon.js";

const icons: { readonly [verdict: string]: IconName } = { deny: "deny", ask: "ask", allow: "allow", pass: "pass" };

/** A decision: a colour, a shape and a word, so that none of them is needed alone. */
export function VerdictMark({ verdict, isModified = false }: { readonly verdict: string; readonly isModified?: boolean }) {
  if (verdict === "") return null;
  return (
    <span class={`verdict verdict-${icons[verdict] ?? "pass"}`}>
      <Icon name={icons[verdict] ?? "pass"} size={12} />
      {verdict}
      {isModified && (
        <span class="verdict-edit" title="The payload was rewritten">
          <Icon name="edit" size={11} />
          <span class="unseen">, rewritten</span>
        </span>
      )}
    </span>
  );
}
