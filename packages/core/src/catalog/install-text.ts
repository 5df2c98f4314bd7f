/** How an optional package is installed. Nothing is published yet, so there is one way. */
export const INSTALL_OPTIONAL =
  "Nothing is published yet: in a clone of Hookline's repository, run `npm ci && npm run build`, which installs it too, and use `npx hookline` there.";
