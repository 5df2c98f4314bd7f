import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** One process each and no sandbox, as containers allow no other; nothing that would make the browser less strict about origins. */
const ARGS = ["--no-sandbox", "--no-zygote", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"];

/** A real Chromium out of a package, which is for Linux; or why there is none. Where there should be one, a page that was not looked at is a failure. */
export async function startBrowser(more: readonly string[] = []): Promise<Browser | string> {
  try {
    return await playwright.launch({ executablePath: await chromium.executablePath(), args: [...ARGS, ...more], headless: true });
  } catch (error) {
    const why = `no browser: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
    if (process.platform === "linux" && process.env.HOOKLINE_NO_BROWSER !== "1")
      throw new Error(`${why}. To leave the page's tests out: HOOKLINE_NO_BROWSER=1 npm test`, { cause: error });
    return why;
  }
}
