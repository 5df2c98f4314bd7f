import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { filter, isFiltered, setFilter } from "../../state/filter.js";
import { filterLine, parseFilter } from "../../state/filter-line.js";

export function NothingYet() {
  if (isFiltered.value)
    return (
      <Empty icon="search" title="No event matches">
        <p>
          Nothing stored matches <code class="command">{filterLine(filter.value)}</code>. What comes and matches will appear here.
        </p>
        <Button onClick={() => setFilter(parseFilter(""))}>Clear the filter</Button>
      </Empty>
    );
  return (
    <Empty icon="live" title="No events yet">
      <p>
        Attach an agent that is installed on this machine: <Command>hookline attach claude-code</Command>, or in your own agent call{" "}
        <Command>connectToHub(bus)</Command>.
      </p>
      <DemoButton />
    </Empty>
  );
}
