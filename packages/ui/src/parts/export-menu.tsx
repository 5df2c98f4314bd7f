import { Icon } from "./icon.js";

const FORMATS = [
  { format: "jsonl", label: "JSONL", about: "one envelope a line" },
  { format: "csv", label: "CSV", about: "safe to open in a spreadsheet" },
  { format: "html", label: "HTML", about: "one file to read and to send" },
] as const;

/** What the filter finds, as a file. */
export function ExportMenu({ query }: { readonly query: string }) {
  return (
    <details class="menu">
      <summary class="button button-plain">
        <Icon name="export" size={14} />
        Export
      </summary>
      <ul>
        {FORMATS.map(({ format, label, about }) => (
          <li key={format}>
            <a href={`/api/export?format=${format}${query === "" ? "" : `&${query}`}`} download={`hookline.${format}`}>
              {label} <span class="dim">{about}</span>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
