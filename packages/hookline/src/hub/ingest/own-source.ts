import { createHash } from "node:crypto";
import type { Actor } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";

/** What the hub calls itself in what it records. */
export const HUB_APP = "hookline-hub";

/** The actor when limits or failures of the hub itself decide. */
export const HUB_ACTOR: Actor = { kind: "hub", name: "hookline", at: "hub" };

/**
 * The id of an event whose own id another process has used, by chance or to keep the event off the record. It is the same when the event
 * is sent again.
 */
export function ownIdOf(instance: string, id: string): string {
  return `of-${createHash("sha256").update(`${instance} ${id}`).digest("hex").slice(0, 32)}`;
}

export interface OwnSource {
  /** Events with that instance are the hub's from now on. */
  add(instance: string): void;
  /** Whether an event says that it comes from the hub itself. */
  isClaimedBy(source: EnvelopeSource): boolean;
}

/** A process with the forwarders' token may report its own events, but not in the hub's name, because the record says who allowed what. */
export function createOwnSource(instance: string): OwnSource {
  const own = new Set([instance]);
  // The same few come again and again.
  let known = "";
  return {
    add: (instance) => void own.add(instance),
    isClaimedBy({ app, instance }) {
      if (own.has(instance)) return true;
      if (app === known) return false;
      if (looksLike(app)) return true;
      known = app;
      return false;
    },
  };
}

/**
 * What a reader would take for it is as good as the name itself. The hub signs its decisions with the shorter one, and trails name its place as
 * "hub". A number does not make it another's name: it reads as the first of several.
 */
function looksLike(app: string): boolean {
  const skeleton = skeletonOf(app);
  return skeleton.includes(HUB_SKELETON) || HUB_SKELETONS.has(skeleton) || HUB_SKELETONS.has(skeletonOf(app.replace(NUMBER, "")));
}

/** Beside the letters of a name. */
const NUMBER = /^[^\p{L}]+|[^\p{L}]+$/gu;

/** Invisible signs, and signs that turn the order of others around. */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** A picture that is composed of several, with invisible signs in between. */
const COMPOSED = /\p{Extended_Pictographic}\ufe0f?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*/gu;

/** Whether a name has signs that a reader does not see: with them, any name can look like any other. */
export function hidesSigns(name: string): boolean {
  return HIDDEN.test(name) && HIDDEN.test(name.replace(COMPOSED, "x"));
}

/**
 * Letters of other alphabets by the Latin letter that a reader takes them for: Cyrillic, Greek, Armenian, Cherokee, Lisu, Coptic and Latin's
 * own variants. From Unicode's table of confusables, as far as a name in Latin letters can be written with them. Compatibility forms, such as
 * fullwidth and mathematical letters, and accents are folded before.
 */
const CONFUSABLES: { readonly [latin: string]: string } = {
  a: "аαɑ⍺ᴀꭺꓮᎪⲁ",
  b: "вьƅᖯᏏꓐʙβᛒⲃ",
  c: "сϲςᴄꓚᏟⲥ⊂",
  d: "ԁɗᏧꓒꭰᎠժ",
  e: "еεҽⲉєꓰᎬꬲ℮ҿ",
  f: "ғϝꓝſẝքᖴ",
  g: "ɡցᏀꓖԍɢƍ",
  h: "һћнհᏂꓧᎻʜηⲏիℎ",
  i: "іιıɩɪӏՙꭵꓲᎥ⍳ⅼ",
  j: "јϳյꓙᎫⅉ",
  k: "кκᴋⲕꓗᏦқĸ",
  l: "ⅼӏӀιաꓡᏞʟⳑ|ǀ׀ߊ",
  m: "мϻⲙᴍꓟᎷ",
  n: "пոռηꓠɴⲛи",
  o: "оοօσᴏⲟꓳჿଠ๐௦०",
  p: "рρϱⲣꓑᏢᴘ⍴",
  q: "ԛգզ",
  r: "гᴦⲅꓣᏒʀꭇ",
  s: "ѕꜱꓢᏚʂƽտ",
  t: "тτⲧᴛꓔᎢ",
  u: "υսʋᴜꓴцμ",
  v: "ѵνᴠꓦᏙⱱ",
  w: "ԝшωᴡꓪᎳɯա",
  x: "хχⲭꓫ×᙮",
  y: "уγүყꓬⲩʏᎩ",
  z: "ᴢꓜᏃⲍʐ",
};
/** Under their small forms too, because names are looked up in small letters. */
const LATIN = new Map(
  Object.entries(CONFUSABLES).flatMap(([latin, others]) => Array.from(others + others.toLowerCase(), (other) => [other, latin] as const)),
);
/** Capitals that look like another letter than their small forms do. */
const CAPITALS: { readonly [capital: string]: string } = { Η: "h", Μ: "m", Ν: "n", Υ: "y", Ζ: "z", Ц: "u" };
const DIGITS: { readonly [digit: string]: string } = { "0": "o", "1": "l", "3": "e", "5": "s" };

/** A name as a reader sees it: two names with the same skeleton look alike. Letters that look alike among themselves are one letter. */
export function skeletonOf(name: string): string {
  const capitals = Array.from(name.slice(0, 256).normalize("NFKC"), (sign) => CAPITALS[sign] ?? sign);
  const folded = capitals.join("").toLowerCase().normalize("NFKD");
  return Array.from(folded, (sign) => LATIN.get(sign) ?? DIGITS[sign] ?? sign)
    .join("")
    .replace(/[^a-z]/g, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("i", "l");
}

const HUB_SKELETON = skeletonOf(HUB_APP);
const HUB_SKELETONS: ReadonlySet<string> = new Set([HUB_ACTOR.name, "hub"].map(skeletonOf));
