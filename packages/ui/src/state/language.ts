/** Some systems give the browser an invalid language, such as `en-US@posix`; the charts ask, as they are loaded, how that language writes numbers. */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
