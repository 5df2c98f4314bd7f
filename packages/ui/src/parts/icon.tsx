const paths = {
  live: "M2 8h3l2-5 3 10 2-5h2",
  sessions: "M2 4h7M4 8h8M7 12h7",
  approvals: "M8 1.8l5 2v4c0 3.2-2.2 5.4-5 6.4-2.8-1-5-3.2-5-6.4v-4zM5.8 8l1.6 1.6 2.8-3",
  handlers: "M5 2v4a3 3 0 0 0 6 0V2M8 9v5M3 2h4M9 2h4",
  flow: "M2 4h6M2 8h9M2 12h6M11 5l3 3-3 3",
  overview: "M2 14V9M6 14V5M10 14V8M14 14V2",
  transcript: "M4 2h5l3 3v9H4zM9 2v3h3M6 8h4M6 11h4",
  hosts: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.1M4.5 11h.1",
  audit: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3",
  deny: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M3.8 3.8l8.4 8.4",
  ask: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.5v.4",
  allow: "M3 8.5l3.5 3.5L13 5",
  pass: "M6 8h4",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M5 3l8 5-8 5z",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M6 6h7v7H6zM3 10V3h7",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.3 10.3L14 14",
  edit: "M3 13l.6-2.6L10.8 3.2l2 2L5.6 12.4zM9.5 4.5l2 2",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  keyboard: "M1.5 4h13v8h-13zM4 7h.1M7 7h.1M10 7h.1M5 9.5h6",
  export: "M8 2v7M5 6.5L8 9.5l3-3M3 12v2h10v-2",
  chevron: "M6 4l4 4-4 4",
  warn: "M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5v.3",
  arrow: "M3 8h10M9 4l4 4-4 4",
} as const;

export type IconName = keyof typeof paths;

/** A sign that goes with words, never instead of them: it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
