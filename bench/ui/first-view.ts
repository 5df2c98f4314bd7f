import { atMost, type Finding } from "../line/measurement.ts";
import { interleave, median } from "../line/statistics.ts";
import type { Stage } from "./stage.ts";

const ROUNDS = 5;
const LIMIT_MS = 1_000;

const VIEWS = {
  live: { rows: ".feed-line", box: ".filter-box input" },
  sessions: { rows: "tbody tr", box: ".search-box input" },
  overview: { rows: ".chart-box canvas", box: "" },
} as const;

interface Sample {
  readonly ms: number;
  readonly answers: readonly (readonly [path: string, ms: number])[];
}

/** From the start of the navigation, in a browser that has nothing of the page yet, until the view can be used. */
export async function firstView(stage: Stage, events: number): Promise<Finding[]> {
  const measure = async (view: keyof typeof VIEWS, address: () => Promise<string>): Promise<Sample> => {
    const { rows, box } = VIEWS[view];
    // The login page comes first where there is one, and its time counts.
    const begun = `Number((sessionStorage.begun ??= performance.timeOrigin))`;
    const page = await stage.open(`if (location.protocol === "http:") window.usable = probe.untilUsable("${rows}", "${box}", ${begun})`);
    await page.goto(await address());
    await page.locator(rows).first().waitFor();
    const ms = await page.evaluate<number>("usable");
    const answers = await page.evaluate<Sample["answers"]>("probe.answers()");
    await page.context().close();
    return { ms, answers };
  };
  const view = (name: keyof typeof VIEWS) => () => measure(name, async () => `${stage.url}/?view=${name}`);
  const contenders = {
    link: () => measure("live", stage.link),
    live: view("live"),
    sessions: view("sessions"),
    overview: view("overview"),
  };
  await contenders.live();
  const samples = await interleave<Sample>(ROUNDS, contenders);
  const row = `first view, ${events.toLocaleString("en")} events stored`;
  const finding = (name: string, what: string): Finding => {
    const ms = median(samples(name).map((sample) => sample.ms));
    const target = `under ${LIMIT_MS.toLocaleString("en")} ms`;
    return atMost(LIMIT_MS, ms, { row, what, measured: `${ms.toFixed(0)} ms`, target, beside: answersText(samples(name)) });
  };
  return [
    finding("link", "from the one-time link to Live: rows are there, the filter takes input"),
    finding("live", "Live, logged in already"),
    finding("sessions", "Sessions: rows are there, the search takes input"),
    finding("overview", "Overview: the charts are drawn"),
  ];
}

/** What the hub took of it, request by request. */
function answersText(samples: readonly Sample[]): string {
  const times = new Map<string, number[]>();
  for (const { answers } of samples) for (const [path, ms] of answers) times.set(path, [...(times.get(path) ?? []), ms]);
  return [...times].map(([path, list]) => `${path} ${median(list).toFixed(0)} ms`).join(", ");
}
