import { isTooSmall, lastFirst, type Size } from "./top-lines.js";
import type { Question, TopState } from "./top-state.js";

/** What a key does besides changing the screen. */
export type Act = "end" | Question | undefined;

const NAMES: { readonly [keys: string]: string } = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  k: "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  j: "down",
  "\u001b": "back",
};

/** What the pressed key does. Several keys at once do nothing: they were pressed before the screen could show a question. */
export function pressKey(state: TopState, keys: string, size: Size): readonly [TopState, Act] {
  const key = NAMES[keys] ?? keys;
  if (key === "q" || key === "Q") return [state, "end"];
  if (isTooSmall(size)) return [state, undefined];
  if (state.question !== undefined) return inQuestion(state, state.question, key, size);
  const at = state.waiting.findIndex(({ id }) => id === state.selected);
  const approval = state.waiting[at];
  if (approval === undefined) return [state, undefined];
  if (key === "a" || key === "d") {
    const verdict = key === "a" ? "allow" : "deny";
    return [{ ...state, message: undefined, question: { approval, verdict, first: 0 } }, undefined];
  }
  const next = state.waiting[at + (key === "down" ? 1 : key === "up" ? -1 : 0)] ?? approval;
  return [{ ...state, selected: next.id }, undefined];
}

function inQuestion(state: TopState, question: Question, key: string, size: Size): readonly [TopState, Act] {
  const most = lastFirst(question, state.now, size);
  const first = Math.min(question.first, most);
  const scrolled = (by: number): readonly [TopState, Act] => {
    const to = Math.max(0, Math.min(most, first + by));
    return [{ ...state, question: { ...question, first: to } }, undefined];
  };
  if (key === "down") return scrolled(1);
  if (key === "up") return scrolled(-1);
  // One line less than a page, so that no line is skipped.
  if (key === " ") return scrolled(size.rows - 3);
  if (key === "n" || key === "back") return [{ ...state, question: undefined }, undefined];
  // A person approves only a call whose end was on the screen.
  if (key === "y" && (question.verdict === "deny" || first === most)) return [{ ...state, question: undefined }, question];
  return [state, undefined];
}
