import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { isNarrow } from "../../parts/narrow.js";
import { NoMatch } from "../../parts/no-match.js";
import { SearchBox } from "../../parts/search-box.js";
import { ViewHead } from "../../parts/view-head.js";
import { foldFlows } from "../../state/feed-row.js";
import { sayError } from "../../state/notices.js";
import { pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { AnyEvent } from "../event/event-panel.js";
import { ChainNote } from "./chain-note.js";
import { EntryList } from "./entry-list.js";
import { FilePicker } from "./file-picker.js";
import { type OpenedFile, readFile } from "./read-file.js";

interface NamedFile extends OpenedFile {
  readonly name: string;
}

/** Stays open while other views are looked at. */
const opened = signal<NamedFile | undefined>(undefined);

/** A file of saved events. It is read here, in the browser, and sent nowhere. */
export function TranscriptView() {
  const file = opened.value;
  const [chosen, setChosen] = useState<string>();
  const [words, setWords] = useState("");
  const [progress, setProgress] = useState<number>();
  const [wanted, setWanted] = useState<{ readonly place: number }>();
  const rows = useMemo(() => {
    const all = file?.rows ?? [];
    const wanted = words.toLowerCase();
    if (wanted === "") return foldFlows(all);
    return foldFlows(
      all.filter((row) => `${row.event} ${row.app} ${row.session} ${row.verdict} ${row.detail} ${row.why}`.toLowerCase().includes(wanted)),
    );
  }, [file, words]);
  const event = file?.events.find(({ id }) => id === chosen);
  const open = async (from: File) => {
    setProgress(0);
    setWords("");
    setWanted(undefined);
    const read = await readFile(from, setProgress).finally(() => setProgress(undefined));
    setChosen(undefined);
    opened.value = { ...read, name: from.name };
  };
  const goToBroken = (place: number) => {
    setWords("");
    setWanted({ place });
  };
  return (
    <div class={`split ${event === undefined ? "" : "is-split"}`}>
      <section class="view" hidden={isNarrow.value && event !== undefined}>
        <ViewHead title="Transcript" about={file === undefined ? undefined : <FileText file={file} />}>
          {file !== undefined && <SearchBox label="Find in the file" value={words} onChange={setWords} />}
          {file !== undefined && (
            <Button
              onClick={() => {
                opened.value = undefined;
              }}
            >
              Close the file
            </Button>
          )}
        </ViewHead>
        {file !== undefined && (
          <ChainNote chain={file.chain} onGo={file.broken === undefined ? undefined : goToBroken.bind(undefined, file.broken)} />
        )}
        {file !== undefined && file.unread > 0 && (
          <p class="said said-ask" role="status">
            {pluralText(file.unread, "line")} of the file could not be read.
          </p>
        )}
        {progress !== undefined ? (
          <p class="said" role="status">
            Reading … {Math.floor(progress * 100)} %
          </p>
        ) : file === undefined ? (
          <FilePicker onFile={(from) => void open(from).catch(sayError)} />
        ) : file.events.length === 0 ? (
          <Empty icon="transcript" title="No events in this file">
            <p>
              A transcript, or an export: <Command>{"hookline tail --no-follow --format json > events.jsonl"}</Command>
            </p>
          </Empty>
        ) : rows.length === 0 ? (
          <NoMatch title="No event matches" words={words} where="its line" onClear={() => setWords("")} />
        ) : (
          <EntryList file={file} rows={rows} chosen={chosen} onChoose={setChosen} wanted={wanted} />
        )}
      </section>
      {event !== undefined && <AnyEvent event={event} onClose={() => setChosen(undefined)} />}
    </div>
  );
}

function FileText({ file: { name, events, entries, chain } }: { readonly file: NamedFile }) {
  const own = `${inert(name)}: ${pluralText(events.length, "event")}`;
  if (chain.state === "none") return <>{own}</>;
  return (
    <span title="A transcript has an entry for each step of an event: the call, each handler's answer and the decision. Two more entries open and close it.">
      {own} in {pluralText(entries, "entry", "entries")}
    </span>
  );
}
