import { useEffect } from "preact/hooks";
import type { HandlerRow, SourcesAnswer } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { windowMinutes } from "../../parts/window-tabs.js";
import { useKept } from "../../state/use-kept.js";
import { useLoaded } from "../../state/use-loaded.js";
import { inert } from "../../text/inert.js";
import { type Tally, tallyOf } from "./handler-count.js";
import { HandlerTable } from "./handler-table.js";

type Source = SourcesAnswer["sources"][number]["source"];

const EVERY_MS = 5_000;

interface ProcessHandlersProps {
  readonly isWanted: (handler: HandlerRow) => boolean;
  /** Told how many each process has; nothing when it has gone. */
  readonly onCount: (instance: string, tally: Tally | undefined) => void;
}

/** The handlers in the code of every process that is connected. */
export function ProcessHandlers(props: ProcessHandlersProps) {
  const { data } = useLoaded(hub.sources, "sources", EVERY_MS);
  return (
    <>
      {(data?.sources ?? []).map(({ source }) => (
        <Boundary key={source.instance} of={source}>
          <OneProcess source={source} {...props} />
        </Boundary>
      ))}
    </>
  );
}

/** A process of an older hookline does not say what it has. */
function OneProcess({ source, isWanted, onCount }: ProcessHandlersProps & { readonly source: Source }) {
  const minutes = windowMinutes.value;
  const { instance, app, pid } = source;
  const { data } = useLoaded(() => hub.handlersOf(instance, minutes), `${instance} ${minutes}`, EVERY_MS);
  const all = useKept(data)?.handlers ?? [];
  const shown = all.filter(isWanted);
  const { all: count, shown: wanted, never } = tallyOf(all, shown);
  useEffect(() => onCount(instance, { all: count, shown: wanted, never }), [instance, count, wanted, never]);
  useEffect(() => () => onCount(instance, undefined), [instance]);
  if (shown.length === 0) return null;
  const title = `In ${inert(app)}, pid ${pid}`;
  return (
    <>
      <h2 class="section-title">{title}</h2>
      <HandlerTable label={title} handlers={shown} hooks={[]} neverText={neverText} />
      {shown.some(({ window }) => window !== undefined) && (
        <p class="dim table-note">Counts include all {inert(app)} processes in this period, including ended ones.</p>
      )}
    </>
  );
}

/** What does not stand in decisions is known only since the process runs. */
function neverText({ window }: HandlerRow): string {
  return window === undefined ? "not since its start" : "never fired";
}
