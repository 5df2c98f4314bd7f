import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** One process each and no sandbox, as containers allow no other; nothing that would make the browser less strict about origins. */
const ARGS = ["--no-sandbox", "--no-zygote", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"];

/** A real Chromium out of a package; or why there is none. */
export async function startBrowser(): Promise<Browser | string> {
  try {
    return await playwright.launch({ executablePath: await chromium.executablePath(), args: ARGS, headless: true });
  } catch (error) {
    return `no browser: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
  }
}
