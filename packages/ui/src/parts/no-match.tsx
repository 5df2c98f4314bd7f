import { inert } from "../text/inert.js";
import { Button } from "./button.js";
import { Empty } from "./empty.js";

interface NoMatchProps {
  readonly title: string;
  readonly words: string;
  /** Where the words were looked for. */
  readonly where: string;
  readonly onClear: () => void;
}

/** Where there is something, and nothing of it has the words. */
export function NoMatch({ title, words, where, onClear }: NoMatchProps) {
  return (
    <Empty icon="search" title={title}>
      <p>
        None has <code class="command">{inert(words)}</code> in {where}.
      </p>
      <Button onClick={onClear}>Show all</Button>
    </Empty>
  );
}
