import { useRef } from "preact/hooks";
import { Icon } from "./icon.js";

const FORMATS = [
  { format: "jsonl", label: "JSONL", about: "one envelope a line; opens in Transcript" },
  { format: "csv", label: "CSV", about: "safe to open in a spreadsheet" },
  { format: "html", label: "HTML", about: "a report in reading order, to send; the newest 10,000" },
] as const;

/** What the filter finds, as a file. */
export function ExportMenu({ query }: { readonly query: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || menu.current?.open !== true) return;
    event.preventDefault();
    close();
    menu.current.querySelector("summary")?.focus();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === false) close();
  };
  return (
    <details class="menu" ref={menu} onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      <summary class="button button-plain">
        <Icon name="export" size={14} />
        Export
      </summary>
      <div class="menu-box">
        <p class="dim">
          {query === "" ? "Exports all stored events: no filter is set." : "Exports every stored event that matches the filter."}
          {new URLSearchParams(query).has("session") && " A session comes with its subagents."}
        </p>
        <ul>
          {FORMATS.map(({ format, label, about }) => (
            <li key={format}>
              <a href={`/api/export?format=${format}${query === "" ? "" : `&${query}`}`} download="" onClick={close}>
                <span>{label}</span>
                <span class="dim">{about}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
