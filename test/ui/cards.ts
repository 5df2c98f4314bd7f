import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The call that waits with these words in it. */
export function cardOf(page: Page, words: string): Locator {
  return page.getByRole("article").filter({ hasText: words });
}

/** As a person does: looks at the card, presses the button, and does so again if the card was just moving, when a press counts for nothing. */
export async function allow(page: Page, words: string): Promise<void> {
  const card = cardOf(page, words);
  const button = card.getByRole("button", { name: "Allow", exact: true });
  const dialog = page.getByRole("dialog");
  const isPressed = async (): Promise<boolean> => (await card.count()) === 0 || (await dialog.count()) > 0;
  const press = async (): Promise<boolean> => {
    await button.scrollIntoViewIfNeeded({ timeout: 2_000 });
    await button.click({ timeout: 2_000 });
    await expect.poll(isPressed).toBe(true);
    return true;
  };
  await expect.poll(() => press().catch(isPressed)).toBe(true);
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
