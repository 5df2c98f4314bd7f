/** Some systems give the browser a language that is none, such as `en-US@posix`; the charts ask for numbers as that language writes them. */
export function mendLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}
