/** One sentence of a file, with what is code in it replaced by `x`s. */
export interface Sentence {
  readonly text: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Whether it stands in a paragraph of a Markdown file. */
  readonly isParagraph: boolean;
}

/** A run of prose: the text, and for each line the offset at which it begins. */
interface Block {
  text: string;
  readonly isParagraph: boolean;
  readonly starts: { readonly offset: number; readonly line: number }[];
}

export function sentencesOf(path: string, content: string): Sentence[] {
  const blocks = path.endsWith(".md") ? markdownBlocks(content) : sourceBlocks(content, path.endsWith(".tsx"));
  return blocks.flatMap(sentencesIn);
}

// A sentence ends at a full stop, question or exclamation mark that is followed by a space and anything but a lower-case letter.
function sentencesIn(block: Block): Sentence[] {
  const found: Sentence[] = [];
  for (const { 0: raw, index } of block.text.matchAll(/\S.*?(?:[.?!:][)"'*_”]*(?=\s+[^a-z\s])|$)/gs)) {
    found.push({
      text: raw.replaceAll(/\s+/g, " ").replace(/^[*_>(“"'-]+ ?/, ""),
      line: lineAt(block, index),
      isParagraph: block.isParagraph,
    });
  }
  return found;
}

function lineAt({ starts }: Block, offset: number): number {
  return starts.findLast((start) => start.offset <= offset)?.line ?? 1;
}

/** Paragraphs, list items and table cells; without fenced code, link targets and comments. */
function markdownBlocks(content: string): Block[] {
  const blocks: Block[] = [];
  let fence = "";
  let open: Block | undefined;
  for (const [index, raw] of blankComments(content).split("\n").entries()) {
    const line = index + 1;
    const mark = /^\s*(```+|~~~+)/.exec(raw)?.[1] ?? "";
    if (mark !== "" && (fence === "" || mark.startsWith(fence))) {
      fence = fence === "" ? mark : "";
      open = undefined;
    } else if (fence !== "") continue;
    else if (/^\s*\|/.test(raw)) {
      open = undefined;
      for (const cell of withoutMarkup(raw).split("|")) append(blocks, undefined, cell, line);
    } else if (/^\s*$|^#/.test(raw)) open = undefined;
    else {
      const isItem = /^\s*(?:[-*+]|\d+\.) /.test(raw);
      open = append(blocks, isItem ? undefined : open, withoutMarkup(raw), line, !isItem);
    }
  }
  return blocks;
}

function append(blocks: Block[], open: Block | undefined, text: string, line: number, isParagraph = false): Block | undefined {
  if (open === undefined && text.trim() === "") return undefined;
  const block = open ?? { text: "", isParagraph, starts: [] };
  if (open === undefined) blocks.push(block);
  else block.text += " ";
  block.starts.push({ offset: block.text.length, line });
  block.text += text.replace(/^\s*(?:[-*+]|\d+\.|>) /, "");
  return block;
}

function blankComments(content: string): string {
  return content.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, " "));
}

function withoutMarkup(line: string): string {
  return line
    .replaceAll(/`+[^`]+`+/g, (code) => "x".repeat(code.length))
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<[^>]+>/g, " ");
}

/** Comments, strings of several words, and the text between JSX tags. */
function sourceBlocks(content: string, isJsx: boolean): Block[] {
  const blocks: Block[] = [];
  const pieces = scan(content);
  let previous: Piece | undefined;
  let open: Block | undefined;
  for (const piece of pieces) {
    const continues = piece.kind === "line" && previous?.kind === "line" && piece.line === previous.line + 1;
    if (piece.kind === "string") {
      if (/\p{L}+ \p{L}+/u.test(piece.text)) append(blocks, undefined, withoutMarkup(piece.text), piece.line);
    } else if (piece.kind === "line") open = append(blocks, continues ? open : undefined, withoutMarkup(piece.text), piece.line);
    else appendLines(blocks, piece);
    previous = piece;
  }
  if (isJsx) blocks.push(...jsxText(content));
  return blocks;
}

function appendLines(blocks: Block[], { text, line }: Piece): void {
  let open: Block | undefined;
  for (const [index, raw] of text.split("\n").entries()) {
    const own = raw.replace(/^\s*\* ?/, "");
    open = /^\s*$|^\s*@/.test(own) ? undefined : append(blocks, open, withoutMarkup(own), line + index);
  }
}

function jsxText(content: string): Block[] {
  return [...content.matchAll(/>([^<>{}=;]*\p{L}+ \p{L}+[^<>{}=;]*)(?=[<{])/gu)].map(({ 1: text = "", index }) => ({
    text: text.replaceAll(/\s+/g, " "),
    isParagraph: false,
    starts: [{ offset: 0, line: content.slice(0, index).split("\n").length }],
  }));
}

interface Piece {
  readonly kind: "line" | "block" | "string";
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /\/\/(?<line>[^\n]*)|\/\*(?<block>[\s\S]*?)\*\/|"(?<double>(?:\\.|[^"\\\n])*)"|'(?<single>(?:\\.|[^'\\\n])*)'|`(?<template>(?:\\[\s\S]|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*)`|(?<=[(,=:[!&|?{};\n]\s*|\breturn )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

// A scanner and not a parser: it knows comments, strings and regular expressions, which is all that prose can hide in.
function scan(content: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { groups = {}, index } of content.matchAll(TOKEN)) {
    const line = content.slice(0, index).split("\n").length;
    const string = groups.double ?? groups.single ?? groups.template;
    if (groups.line !== undefined) pieces.push({ kind: "line", text: groups.line, line });
    else if (groups.block !== undefined) pieces.push({ kind: "block", text: groups.block, line });
    else if (string !== undefined) pieces.push({ kind: "string", text: plain(string), line });
  }
  return pieces;
}

function plain(string: string): string {
  return string.replaceAll(/\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}/g, (code) => "x".repeat(code.length)).replaceAll(/\\n/g, ". ");
}
