import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { useLoaded } from "../../state/use-loaded.js";
import { bytesText, pluralText } from "../../text/amounts.js";
import { SinkTable } from "./sink-table.js";
import { SourceTable } from "./source-table.js";

const EVERY_MS = 2_000;

/** Processes that send events, and the sinks that receive them. */
export function FlowView() {
  const { data, error } = useLoaded(hub.status, "status", EVERY_MS);
  return (
    <section class="view">
      <ViewHead
        title="Sinks and sources"
        about={data?.store && `${pluralText(data.store.events, "event")} kept, ${bytesText(data.store.bytes)} on disk`}
      />
      <Trouble error={error} />
      {data !== undefined && (
        <div class="view-scroll">
          <h2 class="section-title">Sources</h2>
          {data.sources.length === 0 ? (
            <Empty icon="flow" title="No process is connected">
              <p>
                Processes that call <Command>connectToHub(bus)</Command> appear here while they run. Attached agents send theirs by HTTP and
                are listed under Overview.
              </p>
            </Empty>
          ) : (
            <SourceTable sources={data.sources} />
          )}
          <h2 class="section-title">Sinks</h2>
          {data.sinks.length === 0 ? (
            <Empty icon="flow" title="No sinks">
              <p>
                Events stay in the hub's store. To pass them on, add a <Command>[[sink]]</Command> to hookline.toml.
              </p>
            </Empty>
          ) : (
            <SinkTable sinks={data.sinks} />
          )}
        </div>
      )}
    </section>
  );
}
