import type { Locator, Page } from "playwright-core";

/** The call that waits with these words in it. */
export function cardOf(page: Page, words: string): Locator {
  return page.getByRole("article").filter({ hasText: words });
}

/** As a person does: looks at the card, then presses the button. */
export async function allow(page: Page, words: string): Promise<void> {
  const button = cardOf(page, words).getByRole("button", { name: "Allow", exact: true });
  await button.scrollIntoViewIfNeeded();
  await button.click();
}

/** As soon as its keys work, for somebody who has done something on the page. */
export async function chosen(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Tab");
  await page.locator('.approval[aria-keyshortcuts^="y"]', { hasText: words }).waitFor();
}
