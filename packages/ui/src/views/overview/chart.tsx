import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { OverviewAnswer } from "../../api/answers.js";
import { today } from "../../state/now.js";
import { theme } from "../../state/settings.js";
import { durationText, shortCount } from "../../text/amounts.js";
import { dayText, secondsText, shortDate } from "../../text/times.js";

interface Line {
  readonly label: string;
  readonly tone: "accent" | "deny" | "ask";
  readonly values: readonly (number | null)[];
  /** So that lines are told apart without colour. */
  readonly dash?: readonly number[];
}

interface ChartProps {
  readonly title: string;
  readonly overview: OverviewAnswer;
  readonly lines: readonly Line[];
  readonly unit: "count" | "ms";
}

const HEIGHT = 180;

/** Numbers over time. What it shows is also in words for those who do not see it. */
export function Chart({ title, overview, lines, unit }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const isDark = useDarkness();
  const times = lines[0]?.values.map((_, step) => (overview.from + step * overview.stepMs) / 1_000) ?? [];
  const data = [times, ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new uPlot(optionsFor(element, lines, unit), data, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [isDark, theme.value, unit]);
  useEffect(() => plot.current?.setData(data), [overview]);
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <p class="unseen">{inWords(lines, unit)}</p>
      </figcaption>
      <div ref={box} class="chart-box" aria-hidden="true">
        <span class="chart-probe chart-text" />
        <span class="chart-probe chart-grid" />
        {lines.map(({ tone, label }) => (
          <span key={label} class={`chart-probe tone-${tone}`} />
        ))}
      </div>
    </figure>
  );
}

/** A canvas takes no variables, so each colour is read from an element that has it. */
function optionsFor(element: HTMLElement, lines: readonly Line[], unit: ChartProps["unit"]): uPlot.Options {
  const colours = [...element.querySelectorAll(".chart-probe")].map((probe) => getComputedStyle(probe).color);
  const [text = "", grid = "", ...tones] = colours;
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const show = (value: number | null) =>
    value === null ? "–" : value === 0 ? "0" : unit === "ms" ? durationText(value) : shortCount(value);
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { y: false },
    axes: [
      { ...axis, size: 32, values: (_, ticks) => ticks.map(tickText) },
      { ...axis, size: unit === "ms" ? 66 : 50, values: (_, ticks) => ticks.map(show) },
    ],
    scales: { y: { range: (_, __, most) => [0, Math.max(most ?? 0, unit === "ms" ? 0.1 : 4) * 1.1] } },
    series: [
      { label: "time", value: (plot, at) => pointText((at ?? plot.data[0].at(-1) ?? 0) * 1_000) },
      ...lines.map(
        ({ label, dash }, index): uPlot.Series => ({
          label,
          stroke: tones[index] ?? text,
          width: 1.5,
          points: { show: unit === "ms", size: 4 },
          // Without a pointer, the latest value.
          value: (plot, value, series, step) => show(step === null ? (plot.data[series]?.at(-1) ?? null) : value),
          ...(dash !== undefined && { dash: [...dash] }),
        }),
      ),
    ],
  };
}

/** The hour and the minute; at midnight the day. */
function tickText(at: number): string {
  const clock = secondsText(at * 1_000).slice(0, 5);
  return clock === "00:00" ? shortDate(at * 1_000) : clock;
}

/** To the minute, with its day unless that is today. */
function pointText(at: number): string {
  const clock = secondsText(at).slice(0, 5);
  return dayText(at) === today.value ? clock : `${shortDate(at)} ${clock}`;
}

function inWords(lines: readonly Line[], unit: ChartProps["unit"]): string {
  const show = (value: number) => (unit === "ms" ? durationText(value) : shortCount(value));
  const said = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? `${label}: nothing` : `${label}: at most ${show(Math.max(...known))}, last ${show(known.at(-1) ?? 0)}`;
  });
  return `${said.join("; ")}.`;
}

const query = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the system is dark: what is drawn on a canvas must be drawn again when it changes. */
function useDarkness(): boolean {
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const change = () => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return isDark;
}
