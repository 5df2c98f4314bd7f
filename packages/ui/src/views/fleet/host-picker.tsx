import { hub } from "../../api/calls.js";
import { changeParams, params } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { inert } from "../../text/inert.js";

const EVERY_MS = 10_000;

/** Which host's events or sessions are shown. */
export function HostPicker() {
  const { data } = useLoaded(hub.fleet, "fleet", EVERY_MS);
  const chosen = params.value.get("host") ?? "";
  const names = (data?.hosts ?? []).map(({ name }) => name);
  const known = chosen === "" || chosen === "*" || names.includes(chosen) ? names : [chosen, ...names];
  return (
    <label class="host-picker">
      Host
      <select value={chosen} onChange={({ currentTarget }) => changeParams({ host: currentTarget.value, id: undefined })}>
        <option value="">all, and this hub</option>
        <option value="*">all hosts</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {inert(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
