import { inertText } from "@hookline/core/internal/text";
import type { Alarm, StatusAnswer } from "../../hub/protocol.js";
import { countText } from "./amounts.js";

/** `3 alarms are open. The latest: … Look: hookline alarms` */
export function alarmWarning({ waiting, latest }: StatusAnswer["alarms"]): string {
  const text = latest === undefined ? "" : ` The latest: ${sentence(inertText(latest.text))}`;
  return `${countText(waiting, "alarm")} ${waiting === 1 ? "is" : "are"} open.${text} Look: hookline alarms`;
}

/** One alarm, with what the operating system says about the process. */
export function alarmLines({ kind, text, fix, agent, path, process, count, firstAt, lastAt, acknowledged }: Alarm): string[] {
  const at = count === 1 ? timeOf(lastAt) : `${count} times, from ${timeOf(firstAt)} to ${timeOf(lastAt)}`;
  const facts = [
    agent === undefined ? "" : `agent: ${agent}`,
    path === undefined ? "" : `file: ${path}`,
    process === undefined ? "" : `process: ${process.pid} ${process.command ?? process.program ?? ""}`.trimEnd(),
    acknowledged === undefined ? "" : `acknowledged by ${acknowledged.by}, ${timeOf(acknowledged.at)}`,
    fix ?? "",
  ];
  return [
    `${kind === "changed" ? "notice" : kind}, ${at}`,
    `  ${inertText(text)}`,
    ...facts.filter(Boolean).map((fact) => `  ${inertText(fact)}`),
  ];
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
