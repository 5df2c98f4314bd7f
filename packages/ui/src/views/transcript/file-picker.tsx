import { useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Icon } from "../../parts/icon.js";

/** A file that is chosen, or dropped. */
export function FilePicker({ onFile }: { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  const hover = (is: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(is);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is another way to press the button in it.
    <div
      class={`empty drop ${isOver ? "is-over" : ""}`}
      onDragOver={hover(true)}
      onDragLeave={hover(false)}
      onDrop={(event) => {
        hover(false)(event);
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="transcript" size={28} />
      <h2>Open a saved file</h2>
      <p>A transcript that an agent recorded, or events exported as JSONL. It is read in this browser and sent nowhere.</p>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson,.json,.txt"
        hidden
        aria-label="File"
        onChange={(event) => take(event.currentTarget.files)}
      />
      <Button kind="main" onClick={() => input.current?.click()}>
        Choose a file…
      </Button>
      <p class="dim">or drop it here</p>
    </div>
  );
}
