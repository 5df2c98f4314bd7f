// For Hookline's own packages, without promises: text for people, terminals, shells and JSON. Light, and loads no `node:` module.

export { countText } from "../text/count-text.js";
export { closest, didYouMean } from "../text/did-you-mean.js";
export { encodeJson, lossText } from "../text/encode-json.js";
export {
  bucketOf,
  differenceOfHistograms,
  FIRST_BUCKET,
  type Histogram,
  histogramText,
  msOf,
  quantile,
  readHistogram,
  sumOfHistograms,
} from "../text/histogram.js";
export { inertHtml, inertJson, inertLines, inertText } from "../text/inert-text.js";
export { toJsonSafe } from "../text/json-safe.js";
export { diffLines } from "../text/line-diff.js";
export { editCommand, quoted, shellWord } from "../text/shell-word.js";
