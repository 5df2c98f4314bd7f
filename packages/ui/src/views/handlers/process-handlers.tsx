import type { HandlerRow, SourcesAnswer } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { windowMinutes } from "../../parts/window-tabs.js";
import { useKept } from "../../state/use-kept.js";
import { useLoaded } from "../../state/use-loaded.js";
import { inert } from "../../text/inert.js";
import { HandlerTable } from "./handler-table.js";

type Source = SourcesAnswer["sources"][number]["source"];

const EVERY_MS = 5_000;

interface ProcessHandlersProps {
  readonly isWanted: (handler: HandlerRow) => boolean;
}

/** The handlers in the code of every process that is connected. */
export function ProcessHandlers({ isWanted }: ProcessHandlersProps) {
  const { data } = useLoaded(hub.sources, "sources", EVERY_MS);
  return (
    <>
      {(data?.sources ?? []).map(({ source }) => (
        <Boundary key={source.instance} of={source}>
          <OneProcess source={source} isWanted={isWanted} />
        </Boundary>
      ))}
    </>
  );
}

/** A process of an older hookline does not say what it has. */
function OneProcess({ source, isWanted }: ProcessHandlersProps & { readonly source: Source }) {
  const minutes = windowMinutes.value;
  const { data } = useLoaded(() => hub.handlersOf(source.instance, minutes), `${source.instance} ${minutes}`, EVERY_MS);
  const shown = (useKept(data)?.handlers ?? []).filter(isWanted);
  if (shown.length === 0) return null;
  const title = `In ${inert(source.app)}, pid ${source.pid}`;
  return (
    <>
      <h2 class="section-title">{title}</h2>
      <HandlerTable label={title} handlers={shown} hooks={[]} neverText={neverText} />
    </>
  );
}

/** What does not stand in decisions is known only since the process runs. */
function neverText({ window }: HandlerRow): string {
  return window === undefined ? "not since its start" : "never fired";
}
