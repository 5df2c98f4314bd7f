const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;
/** Colours a text if colours are on. */
export type Paint = (style: Style, text: string) => string;

export function createPaint(isColoured: boolean): Paint {
  if (!isColoured) return (_, text) => text;
  return (style, text) => (text === "" ? "" : `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m`);
}
