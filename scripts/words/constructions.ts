import type { Sentence } from "./prose.ts";

/** A way of writing that the documentation, the comments and the texts of the program avoid. */
export interface Construction {
  readonly name: string;
  /** Matched against one sentence, in which code is replaced by `x`s. */
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly advice: string;
}

const BE = "(?:is|are|was|were|be|being|been)";
const UNIT = "(?:ms|s|seconds?|minutes?|min|h|hours?|days?|bytes|[kKMG]i?B)";

/** To forbid a construction, add a row here and a sentence that it must find to test/docs/words.test.ts. */
export const constructions: readonly Construction[] = [
  {
    name: "is none",
    pattern: new RegExp(`(?<!\\bthere )\\b${BE} none\\b(?! of\\b)`, "i"),
    advice: 'say what happens: "is ignored", "does not count", "is not a frame"',
  },
  {
    name: "is no …",
    pattern: new RegExp(
      `(?<!\\bthere )(?<!\\bthere (?:has|have|had|would|will|must|may|can|should) )\\b${BE} no (?!longer\\b|more\\b|less\\b|fewer\\b|different\\b|worse\\b|better\\b|later\\b|earlier\\b|sooner\\b|such\\b|other\\b)`,
      "i",
    ),
    advice: '"is not a …", or say what it is',
  },
  {
    name: "a person as the subject",
    pattern: /\b(?:whoever|whomever|whosoever|nobody|somebody|someone|everybody|anybody)\b/i,
    advice: 'name the subject: the user, the process, the client, the hub; "if no guard decides", "no handler listens"',
  },
  {
    name: "who as the subject",
    pattern: /^(?:Who|He who|Those who|She who|One who)\b(?![^?]*\?)/,
    advice: 'name the subject: "a client that …", "a process that …"',
  },
  {
    name: "what … is what …",
    pattern: new RegExp(`\\bwhat\\b[^.;:]*\\b${BE} what\\b`, "i"),
    advice: "name the thing instead of both clauses",
  },
  {
    name: "of a … 10 s",
    pattern: new RegExp(`(?:^|[;,(] ?|\\band )of (?:an? |the )?[a-z-]+ \\d[\\d,.]* ?${UNIT}\\b`, "i"),
    advice: '"10 s for a webhook"',
  },
  { name: "One can …", pattern: /^One (?:can|may|must|might|should|could|has to|needs|ought)\b/, advice: '"you can …", or the imperative' },
  { name: "a link to look", pattern: /\b(?:links?|keys?|tokens?|logins?) to look\b(?! (?:at|up|for)\b)/i, advice: '"a view-only link"' },
  { name: "goes on as", pattern: /\b(?:go|goes|going|went|gone) on as\b/i, advice: '"continues as", "is passed on as", "becomes"' },
  { name: "takes nothing away", pattern: /\b(?:take|takes|taking|took|taken) nothing (?:away|from)\b/i, advice: "say what stays" },
  { name: "so that … so that", pattern: /\bso that\b.*\bso that\b/i, advice: "split the sentence: say what to do, then why" },
  {
    name: "that there is not",
    pattern: /\bthat there (?:is|are|was|were) not\b(?! (?:an?|any|yet|enough|much)\b)/i,
    advice: '"unknown", "missing"',
  },
  {
    name: "is not to be",
    pattern: /\b(?:is|are|was|were) (?:not )?to be (?:called|had|seen|said|told|taken)\b/i,
    advice: "use the active voice",
  },
  { name: "with wishes", pattern: /\bwith wishes\b|\bof (?:his|her|their|its) own wishes\b/i, advice: '"with options"' },
  {
    name: "archaic word",
    pattern: /\b(?:anew|be it|for ever|forthwith|hitherto|whence|thereof|therein|hereby|save for)\b/i,
    advice: 'use the common word: "again", "even", "always"',
  },
  { name: "mend", pattern: /\b(?:mend|mends|mended|mending)\b/i, advice: '"fix", "repair", "correct"' },
  { name: "desk", pattern: /\b(?:desks?|waiting rooms?)\b/i, advice: '"approvals" (see the glossary)' },
];

/** Reported for paragraphs alone: a table cell or a list item may be a noun phrase. */
export const verbless: Pick<Construction, "name" | "advice"> = {
  name: "no verb",
  advice: "write a whole sentence, or join it to the one before",
};

export function violations({ text, isParagraph }: Sentence): Pick<Construction, "name" | "advice">[] {
  const found = constructions.filter(({ pattern }) => pattern.test(text));
  return isParagraph && isVerbless(text) ? [...found, verbless] : found;
}

// Most English verbs end in -s, -ed or -ing where they have a subject of the third person, and so do many nouns: this misses sentences rather than
// accusing good ones. Where it accuses a good one, add its verb.
const VERB =
  /^(?:am|is|are|was|were|be|been|has|have|had|do|did|can|cannot|may|must|will|would|should|could|might|abort|accept|act|add|allow|answer|apply|arrive|ask|become|begin|belong|block|bind|break|build|call|carry|change|check|choose|click|close|come|compare|continue|copy|count|cover|create|decide|delete|deny|detect|depend|differ|end|ensure|enter|expect|export|fail|fall|find|finish|fit|fix|follow|get|give|go|happen|hold|include|install|join|keep|leave|let|limit|list|live|load|look|lose|make|match|mean|meet|move|name|narrow|need|nest|note|open|order|own|pass|pick|point|prefer|press|print|put|raise|reach|read|receive|register|reload|remain|remove|replace|report|return|rewrite|run|save|say|scroll|see|send|serve|set|share|show|sign|stand|start|stay|stop|store|survive|take|tell|trust|try|turn|type|use|verify|wait|want|watch|work|write|went|came|got|took|made|wrote|read|ran|left|lost|held|kept|sent|said|saw|gave|chose|meant|threw|broke|began|stood)$/;
const NOT_A_VERB =
  /^(?:this|its|less|unless|always|besides|as|us|yes|perhaps|across|thus|plus|bus|process|access|class|address|milliseconds|seconds|minutes|hours|days|bytes|events|hooks|rules|others|ours|theirs|yours|nothing|anything|something|everything|during|string)$/;

function isVerbless(sentence: string): boolean {
  if (!sentence.endsWith(".")) return false;
  const words = sentence.toLowerCase().match(/[a-z']+/g) ?? [];
  return words.length > 1 && !words.some((word) => VERB.test(word) || (/(?:s|ed|ing|n't)$/.test(word) && !NOT_A_VERB.test(word)));
}
