export { inertLines, inertText } from "./inert-text.js";
