import type { Sample } from "./sample.ts";

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly value: (sample: Sample) => number;
}

const PANELS: readonly Panel[] = [
  { title: "Memory of the hub", unit: "MB", value: ({ rssMb }) => rssMb },
  { title: "Open descriptors of the hub", unit: "", value: ({ descriptors }) => descriptors },
  { title: "Stream behind, p99", unit: "ms", value: ({ lagMs }) => lagMs },
  { title: "Events not yet searchable", unit: "", value: ({ unindexed }) => unindexed },
  { title: "Files of the store", unit: "MB", value: ({ storeMb }) => storeMb },
];
const WIDTH = 720;
const HEIGHT = 120;
const LEFT = 70;
const RIGHT = 20;
const TOP = 26;

/** The samples as lines over time, each value in a panel of its own that begins at 0. */
export function drawChart(samples: readonly Sample[], title: string): string {
  const minutes = samples.at(-1)?.minute ?? 1;
  const panels = PANELS.map((panel, index) => drawPanel(panel, samples, { minutes, top: 40 + index * (HEIGHT + TOP + 14) }));
  const height = 50 + PANELS.length * (HEIGHT + TOP + 14);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${LEFT}" y="22" font-size="15" fill="#111">${title}</text>
${panels.join("\n")}
</svg>
`;
}

function drawPanel(
  { title, unit, value }: Panel,
  samples: readonly Sample[],
  { minutes, top }: { readonly minutes: number; readonly top: number },
): string {
  const most = Math.max(1, ...samples.map(value)) * 1.1;
  const x = (minute: number): number => LEFT + (minute / minutes) * (WIDTH - LEFT - RIGHT);
  const y = (amount: number): number => top + TOP + HEIGHT - (amount / most) * HEIGHT;
  const points = samples.map((sample) => `${x(sample.minute).toFixed(1)},${y(value(sample)).toFixed(1)}`).join(" ");
  const marks = [0, most / 2.2, most / 1.1].map(
    (amount) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(amount)}" y2="${y(amount)}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y(amount) + 4}" text-anchor="end" fill="#555">${Math.round(amount).toLocaleString("en")}</text>`,
  );
  return `<text x="${LEFT}" y="${top + 16}" fill="#111">${title}${unit === "" ? "" : `, ${unit}`}</text>
${marks.join("\n")}
<polyline points="${points}" fill="none" stroke="#2563eb" stroke-width="1.5"/>
<text x="${WIDTH - RIGHT}" y="${top + 16}" text-anchor="end" fill="#555">${minutes.toFixed(0)} minutes</text>`;
}
