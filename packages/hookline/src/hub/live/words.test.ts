import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { toSearch } from "../store/search-phrases.js";
import { createTextMatcher, wordsOf } from "./words.js";

/** What FTS5 makes of texts, with the tokenizer of the store. */
function createOracle() {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'unicode61')");
  database.exec("CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')");
  return {
    words(text: string): string[] {
      database.exec("DELETE FROM words");
      database.prepare("INSERT INTO words VALUES (?)").run(text);
      return database
        .prepare("SELECT term FROM terms ORDER BY offset")
        .all()
        .map(({ term }) => String(term));
    },
    finds(text: string, query: string): boolean {
      database.exec("DELETE FROM words");
      database.prepare("INSERT INTO words VALUES (?)").run(text);
      const search = toSearch(query);
      if (search === "") return true;
      return database.prepare("SELECT 1 FROM words WHERE words MATCH ?").get(search) !== undefined;
    },
  };
}

const pieces = [
  "a",
  "B",
  "7",
  "ab",
  "é",
  "É",
  "e\u0301",
  "ü",
  "ß",
  "İ",
  "Σ",
  "ς",
  "ñ",
  "ç",
  "ø",
  "Å",
  "日本",
  "한",
  "Ж",
  "й",
  "α",
  "ά",
  "ﬁ",
  "²",
  "½",
  "_",
  "-",
  ".",
  '"',
  "\\",
  "/",
  "😀",
  "\ue000",
  "\u0308",
  " ",
  "\n",
  "{",
  ":",
  "µ",
  "ſ",
];

/** The same numbers each time. */
function* seeded(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe("words", () => {
  it("are those of FTS5 with unicode61", () => {
    const oracle = createOracle();
    const random = seeded(7);
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from(
        { length: 1 + Math.floor(random.next().value * 12) },
        () => pieces[Math.floor(random.next().value * pieces.length)],
      ).join("");
      expect([text, wordsOf(text)]).toEqual([text, oracle.words(text)]);
    }
  });

  it("agree with it on every letter of Latin, Greek and Cyrillic", () => {
    const oracle = createOracle();
    const odd: string[] = [];
    for (let code = 1; code < 0x530; code++) {
      const text = `q${String.fromCodePoint(code)}z`;
      if (wordsOf(text).join("|") !== oracle.words(text).join("|")) odd.push(`${code.toString(16)} ${wordsOf(text)} ${oracle.words(text)}`);
    }
    // Letters that Unicode has learned since, and marks between letters that no text has alone.
    expect(odd.length).toBeLessThan(40);
  });

  it("are found as it finds them: all of them, each as a beginning, a joined word in one piece, and what is quoted as it is", () => {
    const oracle = createOracle();
    const texts = ['{"text":"git push --force origin"}', '{"path":"/src/no-rm.ts","n":12}', "Ünïcode Straße CAFÉ", "a b c", ""];
    const queries = [
      "push",
      "pus",
      "ush",
      "force git",
      "no-rm",
      "no-r",
      "o-rm",
      "rm no",
      "src/no",
      "12",
      "1",
      "2",
      "unic",
      "STRASSE",
      "straß",
      "cafe",
      "café",
      "-",
      "--force",
      '"push"',
      '"pus"',
      '"git push" orig',
      '"push git"',
      '"git pus"',
      '"git push',
      '"-"',
      "a c",
      "c-a",
      "a-b",
      "git nowhere",
      "  ",
    ];
    for (const text of texts)
      for (const query of queries)
        expect([text, query, createTextMatcher(query)({ body: text })]).toEqual([text, query, oracle.finds(text, query)]);
    const pushed = { body: texts[0] as string };
    expect(['"git push" orig', '"git pus"', "git pus", '"git force"'].map((query) => createTextMatcher(query)(pushed))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
