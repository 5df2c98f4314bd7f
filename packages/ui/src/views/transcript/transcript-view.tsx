import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { isNarrow } from "../../parts/narrow.js";
import { SearchBox } from "../../parts/search-box.js";
import { ViewHead } from "../../parts/view-head.js";
import { foldFlows, toRow } from "../../state/feed-row.js";
import { say } from "../../state/notices.js";
import { pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { EventDetail } from "../event/event-detail.js";
import { FeedList } from "../live/feed-list.js";
import { FilePicker } from "./file-picker.js";
import { type ReadFile, readTranscript } from "./read-transcript.js";

interface OpenedFile extends ReadFile {
  readonly name: string;
}

/** Stays open while other views are looked at. */
const opened = signal<OpenedFile | undefined>(undefined);

/** A file of saved events. It is read here, in the browser, and sent nowhere. */
export function TranscriptView() {
  const file = opened.value;
  const [chosen, setChosen] = useState<string>();
  const [words, setWords] = useState("");
  const rows = useMemo(() => {
    const all = file?.events.map(toRow) ?? [];
    const wanted = words.toLowerCase();
    return foldFlows(
      all.filter((row) => `${row.event} ${row.app} ${row.session} ${row.verdict} ${row.detail} ${row.why}`.toLowerCase().includes(wanted)),
    );
  }, [file, words]);
  const event = file?.events.find(({ id }) => id === chosen);
  const open = async (from: File) => {
    const read = readTranscript(await from.text());
    setChosen(undefined);
    opened.value = { ...read, name: from.name };
    if (read.unread > 0) say(`${pluralText(read.unread, "line")} of the file could not be read.`, { kind: "bad" });
  };
  return (
    <div class={`split ${event === undefined ? "" : "is-split"}`}>
      <section class="view" hidden={isNarrow.value && event !== undefined}>
        <ViewHead
          title="Transcript"
          about={file === undefined ? undefined : `${inert(file.name)}: ${pluralText(file.events.length, "event")}`}
        >
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
        {file === undefined ? (
          <FilePicker onFile={(from) => void open(from)} />
        ) : file.events.length === 0 ? (
          <Empty icon="transcript" title="No events in this file">
            <p>
              A transcript, or an export: <Command>{"hookline tail --no-follow --format json > events.jsonl"}</Command>
            </p>
          </Empty>
        ) : (
          <FeedList rows={rows} order="tail" chosen={chosen} onChoose={setChosen} hasOlder={false} onOlder={() => {}} />
        )}
      </section>
      {event !== undefined && <EventDetail key={event.id} event={event} onClose={() => setChosen(undefined)} />}
    </div>
  );
}
