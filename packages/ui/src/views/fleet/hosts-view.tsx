import type { FleetHost } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { hrefOf, params } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { countText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { factOf } from "./host-fact.js";
import { HostPage } from "./host-page.js";

const EVERY_MS = 3_000;

/** The hosts of the fleet, or the one in the address. */
export function HostsView() {
  const { data, error } = useLoaded(hub.fleet, "fleet", EVERY_MS);
  const hosts = data?.hosts ?? [];
  const name = params.value.get("host");
  if (name !== null && name !== "*")
    return <HostPage key={name} name={name} host={hosts.find((host) => host.name === name)} isLoaded={data !== undefined} />;
  const present = hosts.filter(({ isPresent }) => isPresent).length;
  return (
    <section class="view">
      <ViewHead
        title="Hosts"
        about={hosts.length === 0 ? undefined : `${countText(present)} of ${pluralText(hosts.length, "host")} present`}
      />
      <Trouble error={error} />
      <ServerState status={data?.status} />
      {data !== undefined && hosts.length === 0 ? (
        <Empty icon="hosts" title="No hosts yet">
          <p>
            A host appears when its hub has joined. To invite one: <Command>hookline fleet invite laptop-anna</Command>
          </p>
        </Empty>
      ) : (
        <TableBox label="Hosts">
          <thead>
            <tr>
              <th>Host</th>
              <th>State</th>
              <th class="number">Behind</th>
              <th class="number">Policy</th>
              <th>Version</th>
              <th>Last seen</th>
              <th class="number">Stored</th>
              <th class="number">Sent again</th>
              <th class="number">Missing</th>
            </tr>
          </thead>
          <tbody>
            {hosts.map((host) => (
              <Boundary key={host.name} of={host} columns={9}>
                <Row host={host} />
              </Boundary>
            ))}
          </tbody>
        </TableBox>
      )}
      <p class="dim table-note">
        Behind: events that are not in this store yet. Stored, sent again and missing: since this hub started. Policy and version are what
        the host says of itself.
      </p>
    </section>
  );
}

/** Without the server nothing comes, and what is shown is from before. */
function ServerState({ status }: { readonly status: { readonly [field: string]: unknown } | undefined }) {
  if (status === undefined || status.isConnected === true) return null;
  return (
    <p class="said said-ask" role="status">
      This fleet hub has no connection to the fleet's server. What you see is from before.
      {typeof status.error === "string" && ` ${inert(status.error)}`}
    </p>
  );
}

function Row({ host }: { readonly host: FleetHost }) {
  const { name, isPresent, behind, seenAt, stored, duplicates, missing } = host;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf("hosts", { host: name })}>{inert(name)}</a>
      </th>
      <td class={isPresent ? "" : "dim"}>{isPresent ? "present" : "away"}</td>
      <td class="number">{behind === undefined ? "–" : countText(behind)}</td>
      <td class="number">{factOf(host, "policySerial")}</td>
      <td>{factOf(host, "version")}</td>
      <td>
        <Ago at={seenAt} />
      </td>
      <td class="number">{countText(stored)}</td>
      <td class="number">{countText(duplicates)}</td>
      <td class={`number ${missing > 0 ? "is-bad" : "dim"}`}>{countText(missing)}</td>
    </tr>
  );
}
