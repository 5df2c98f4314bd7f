import axe from "axe-core";
import type { Page } from "playwright-core";
import { isThorough } from "./thorough.ts";

const WIDE = { width: 1180, height: 700 };
const NARROW = { width: 360, height: 640 };

interface Fault {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds wrong with what the page shows, wide and narrow, in light and in dark, and whether it is wider than the window. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [size, colorScheme, options] of [
    [WIDE, "light", "{}"],
    [NARROW, "dark", "{}"],
    // Nothing but colours is different, and those of most parts were looked at.
    ...(isThorough ? ([[WIDE, "dark", "{ runOnly: ['color-contrast'] }"]] as const) : []),
  ] as const) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    // The page hears of its new size with the next frame, and draws itself for the one after.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))");
    found.push(...(await run(page, options, `${colorScheme}, ${size.width} px`)));
    if (!(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))) found.push(`${size.width} px: too wide`);
  }
  return found;
}

async function run(page: Page, options: string, where: string): Promise<string[]> {
  const { violations } = await page.evaluate<{ readonly violations: readonly Fault[] }>(
    `axe.run({ ...${options}, resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}
