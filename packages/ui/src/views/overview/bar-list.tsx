import { countText } from "../../text/amounts.js";

interface BarRow {
  readonly name: string;
  readonly href: string;
  readonly value: number;
  /** How much of it was denied. */
  readonly part: number;
  readonly note: string;
}

/** Names with as long a bar as they have of the most. */
export function BarList({ title, rows, nothing }: { readonly title: string; readonly rows: readonly BarRow[]; readonly nothing: string }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <section class="card bar-list" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 && <p class="dim">{nothing}</p>}
      <ul>
        {rows.map(({ name, href, value, part, note }) => (
          <li key={name}>
            <a href={href}>{name}</a>
            <span class="number">
              {countText(value)} {note !== "" && <span class="dim">({note})</span>}
            </span>
            <span class="bar-list-bar" aria-hidden="true">
              <span style={{ width: `${(value / most) * 100}%` }}>
                <span style={{ width: `${(part / Math.max(1, value)) * 100}%` }} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
