import { useCallback, useState } from "preact/hooks";
import type { HandlerRow } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { NoMatch } from "../../parts/no-match.js";
import { SearchBox } from "../../parts/search-box.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { WindowTabs, windowMinutes } from "../../parts/window-tabs.js";
import { changeParams, params } from "../../state/location.js";
import { useKept } from "../../state/use-kept.js";
import { useLoaded } from "../../state/use-loaded.js";
import { textOf as foreignText } from "../../text/foreign.js";
import { sumOf, type Tally, tallyOf, tallyText } from "./handler-count.js";
import { HandlerTable } from "./handler-table.js";
import { IdleHooks } from "./idle-hooks.js";
import { ProcessHandlers } from "./process-handlers.js";
import { TryRule } from "./try-rule.js";

const EVERY_MS = 3_000;
/** What a week comes to changes little in a moment, and costs the hub more. */
const EVERY_LONG_MS = 15_000;
const DAY_MINUTES = 1_440;

/** Everything that may look at events: rules, hooks and extensions, with what each has done. */
export function HandlersView() {
  const minutes = windowMinutes.value;
  const {
    data: loaded,
    error,
    reload,
  } = useLoaded(() => hub.handlers(minutes), `handlers ${minutes}`, minutes > DAY_MINUTES ? EVERY_LONG_MS : EVERY_MS);
  const data = useKept(loaded);
  const words = params.value.get("find") ?? "";
  const all = data?.handlers ?? [];
  const isWanted = (handler: HandlerRow) => textOf(handler).includes(words.toLowerCase());
  const shown = all.filter(isWanted);
  const [processes, onCount] = useTallies();
  const own = tallyOf(all, shown);
  const total = sumOf([own, ...processes]);
  return (
    <section class="view">
      <ViewHead title="Handlers" about={total.all === 0 ? undefined : tallyText(own, processes)}>
        <WindowTabs />
        <SearchBox label="Find a handler" value={words} onChange={(find) => changeParams({ find }, "replace")} />
      </ViewHead>
      <Trouble error={error} />
      <div class="view-scroll">
        {data !== undefined && all.length === 0 && <NoHandlers />}
        {total.all > 0 && total.shown === 0 && (
          <NoMatch
            title="No handler matches"
            words={words}
            where="its name, event, owner or description"
            onClear={() => changeParams({ find: undefined }, "replace")}
          />
        )}
        {data !== undefined && shown.length > 0 && (
          <HandlerTable
            label="Handlers of the hub"
            handlers={shown}
            hooks={data.hooks}
            rules={data.rules}
            neverText={() => "never fired"}
            onChanged={reload}
          />
        )}
        {data !== undefined && <IdleHooks answer={data} onChanged={reload} />}
        <TryRule />
        <ProcessHandlers isWanted={isWanted} onCount={onCount} />
      </div>
    </section>
  );
}

/** What each process has; they are asked one by one. */
function useTallies(): [readonly Tally[], (instance: string, tally: Tally | undefined) => void] {
  const [tallies, setTallies] = useState<ReadonlyMap<string, Tally>>(new Map());
  const onCount = useCallback((instance: string, tally: Tally | undefined) => {
    setTallies((before) => {
      const next = new Map(before);
      if (tally === undefined) next.delete(instance);
      else next.set(instance, tally);
      return next;
    });
  }, []);
  return [[...tallies.values()], onCount];
}

function textOf({ name, event, owner, description }: HandlerRow): string {
  return [name, event, owner, description].map(foreignText).join(" ").toLowerCase();
}

function NoHandlers() {
  return (
    <Empty icon="handlers" title="No handlers">
      <p>
        The hub itself has no rule and no hook. To add rules and attach the agents of this machine: <Command>hookline start</Command>. To
        write a hook: <Command>hookline hooks new</Command>
      </p>
    </Empty>
  );
}
