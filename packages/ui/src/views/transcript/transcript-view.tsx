import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { isNarrow } from "../../parts/narrow.js";
import { SearchBox } from "../../parts/search-box.js";
import { ViewHead } from "../../parts/view-head.js";
import { foldFlows } from "../../state/feed-row.js";
import { say, sayError } from "../../state/notices.js";
import { pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { AnyEvent } from "../event/any-event.js";
import { FeedList } from "../live/feed-list.js";
import { ChainNote } from "./chain-note.js";
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
    const read = await readFile(from, setProgress).finally(() => setProgress(undefined));
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
        {file !== undefined && <ChainNote chain={file.chain} />}
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
        ) : (
          <FeedList rows={rows} order="tail" chosen={chosen} onChoose={setChosen} hasOlder={false} onOlder={() => {}} />
        )}
      </section>
      {event !== undefined && <AnyEvent event={event} onClose={() => setChosen(undefined)} />}
    </div>
  );
}
