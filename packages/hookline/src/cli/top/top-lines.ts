import { inertText } from "@hookline/core/internal/text";
import type { SessionRow } from "../../hub/protocol.js";
import { countText, durationText } from "../format/amounts.js";
import { type Approval, approvalLines } from "../format/approval-lines.js";
import { cutTo, wrapTo } from "../format/display-width.js";
import { detailOf, humanLine } from "../format/event-line.js";
import { createPaint, type Paint } from "../format/paint.js";
import { tableLines } from "../format/table.js";
import { agoText, timeText } from "../format/times.js";
import type { Question, TopState } from "./top-state.js";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

type Look = Size & { readonly paint: Paint };

const LEAST: Size = { columns: 30, rows: 8 };
/** The heading above, and the keys below. */
const FRAME_ROWS = 2;
const MESSAGE_ROWS = 4;
/** Below this, the columns of an event do not fit, and a line is cut without its colours. */
const EVENT_COLUMNS = 70;

/** The whole screen: as many lines as it has rows, none wider than it. */
export function topLines(state: TopState, look: Look): string[] {
  const lines = isTooSmall(look)
    ? [cutTo("Too small: enlarge the window, or press q.", look.columns)]
    : state.question === undefined
      ? overview(state, look)
      : questionLines(state.question, state.now, look);
  return Array.from({ length: look.rows }, (_, row) => lines[row] ?? "");
}

/** A call cannot be read in so few rows, so nothing is answered in them. */
export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST.columns || rows < LEAST.rows;
}

/** The most that the shown part of a question can be scrolled. */
export function lastFirst({ approval }: Question, now: number, size: Size): number {
  return Math.max(0, callLines(approval, now, size).length - (size.rows - FRAME_ROWS));
}

function overview(state: TopState, look: Look): string[] {
  const { columns, rows, paint } = look;
  const { address, now, waiting, sessions, message } = state;
  const said = message === undefined ? [] : wrapTo(inertText(message), columns).slice(0, MESSAGE_ROWS);
  const heading = `hookline top  ${timeText(now, { now, isShort: true })}  ${inertText(address)}`;
  const free = rows - FRAME_ROWS - said.length;
  const third = Math.max(2, Math.floor(free / 3));
  const first = section(`WAITING FOR YOU: ${waiting.length}`, waitingRows(state, look, third - 1), look);
  const second = section(`LIVE SESSIONS: ${sessions.length}`, sessionRows(sessions, now, look).slice(0, third - 1), look);
  const left = free - first.length - second.length;
  const decided = section("DECISIONS", decisionRows(state, look, left - 1), look);
  const body = [...first, ...second, ...decided].slice(0, free);
  const blank = Array.from({ length: free - body.length }, () => "");
  const keys = waiting.length === 0 ? "q quit" : "a approve  d deny  up/down select  q quit";
  return [
    paint("bold", cutTo(heading, columns)),
    ...body,
    ...blank,
    ...said.map((line) => paint("yellow", line)),
    paint("dim", cutTo(keys, columns)),
  ];
}

function section(title: string, rows: readonly string[], { columns, paint }: Look): string[] {
  return [paint("cyan", cutTo(title, columns)), ...rows];
}

/** The rows around the selected call. */
function waitingRows({ waiting, selected, now }: TopState, { columns, paint }: Look, most: number): string[] {
  const at = waiting.findIndex(({ id }) => id === selected);
  const first = Math.max(0, Math.min(at - most + 1, waiting.length - most));
  return waiting.slice(first, first + most).map((approval) => {
    const isSelected = approval.id === selected;
    const line = cutTo(`${isSelected ? ">" : " "} ${waitingText(approval, now)}`, columns);
    return isSelected ? paint("bold", line) : line;
  });
}

function waitingText(approval: Approval, now: number): string {
  const { expiresAt, source, by, reason } = approval;
  const left = durationText(Math.max(0, expiresAt - now)).padEnd(9);
  const why = reason === undefined ? by : `${by}: ${reason}`;
  return inertText(`${left} ${source?.app ?? "unknown"}  ${detailOf(approval)}  (${why})`);
}

function sessionRows(sessions: readonly SessionRow[], now: number, { columns }: Look): string[] {
  if (sessions.length === 0) return [];
  const rows = sessions.map(({ id, app, events, denied, asked, lastAt }) => [
    app || "unknown",
    id,
    String(events),
    String(denied),
    String(asked),
    agoText(lastAt, now),
  ]);
  return tableLines(["AGENT", "SESSION", "EVENTS", "DENIED", "ASKED", "LAST EVENT"], rows, columns - 2).map((line) =>
    cutTo(`  ${line}`, columns),
  );
}

/** The newest first: a reader looks there. */
function decisionRows({ decisions }: TopState, { columns, paint }: Look, most: number): string[] {
  const newest = decisions.slice(-Math.max(1, most)).reverse();
  if (columns >= EVENT_COLUMNS) return newest.map((event) => `  ${humanLine(event, { paint, columns: columns - 2 })}`);
  return newest.map((event) => cutTo(`  ${humanLine(event, { paint: createPaint(false), columns: EVENT_COLUMNS })}`, columns));
}

function questionLines(question: Question, now: number, look: Look): string[] {
  const { columns, rows, paint } = look;
  const { approval, verdict } = question;
  const first = Math.min(question.first, lastFirst(question, now, look));
  const word = verdict === "allow" ? "Approve" : "Deny";
  const all = callLines(approval, now, look);
  const shown = all.slice(first, first + rows - FRAME_ROWS);
  const below = all.length - first - shown.length;
  const blank = Array.from({ length: rows - FRAME_ROWS - shown.length }, () => "");
  const more = below > 0 ? `${countText(below, "more line")} below: press space.  ` : "";
  const yes = below > 0 && verdict === "allow" ? "" : `y ${word.toLowerCase()}  `;
  return [paint("bold", cutTo(`${word} this call?`, columns)), ...shown, ...blank, paint("yellow", cutTo(`${more}${yes}n back`, columns))];
}

function callLines(approval: Approval, now: number, { columns }: Size): string[] {
  return approvalLines(approval, now).flatMap((line) => wrapTo(line, columns));
}
