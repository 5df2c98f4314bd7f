import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The call that waits with these words in it. */
export function cardOf(page: Page, words: string): Locator {
  return page.getByRole("article").filter({ hasText: words });
}

/** As a person does: looks at the card, then presses the button. */
export async function allow(page: Page, words: string): Promise<void> {
  const button = cardOf(page, words).getByRole("button", { name: "Allow", exact: true });
  // The card may be drawn anew meanwhile.
  await expect
    .poll(() =>
      button.scrollIntoViewIfNeeded().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await button.click();
}

/** As soon as its keys work, for somebody who has done something on the page: again when the browser has looked away since. */
export async function chosen(page: Page, words: string): Promise<void> {
  const card = page.locator('.approval[aria-keyshortcuts^="y"]', { hasText: words });
  for (let tries = 0; tries < 20; tries++) {
    await page.keyboard.press("Tab");
    const isReady = await card.waitFor({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`The keys of "${words}" do not work: ${await page.locator(".cards").textContent()}`);
}
