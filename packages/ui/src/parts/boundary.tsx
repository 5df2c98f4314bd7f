import { Component, type ComponentChildren } from "preact";
import { inert } from "../text/inert.js";
import { Button } from "./button.js";
import { Icon } from "./icon.js";
import { RawJson } from "./raw-json.js";

interface BoundaryProps {
  /** What is shown, for who wants to see it raw. Another child is tried again. */
  readonly of?: unknown;
  /** How many columns the row has that could not be drawn. */
  readonly columns?: number;
  /** What to do instead. */
  readonly instead?: ComponentChildren;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly failed?: { readonly of: unknown; readonly message: string } | undefined;
}

/** Keeps what cannot be drawn to its own place: it says so there, and all the rest stays. Nothing of it works meanwhile, its keys neither. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  override componentDidCatch(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : "for an unknown reason";
    this.setState({ failed: { of: this.props.of, message } });
  }

  override render({ of, columns, instead, children }: BoundaryProps, { failed }: BoundaryState) {
    if (failed === undefined || failed.of !== of) return children;
    const note = <Failed message={failed.message} of={of} instead={instead} onAgain={() => this.setState({ failed: undefined })} />;
    if (columns === undefined) return note;
    return (
      <tr>
        <td colSpan={columns}>{note}</td>
      </tr>
    );
  }
}

interface FailedProps extends Pick<BoundaryProps, "of" | "instead"> {
  readonly message: string;
  readonly onAgain: () => void;
}

function Failed({ message, of, instead, onAgain }: FailedProps) {
  return (
    <div class="trouble" role="alert">
      <Icon name="warn" />
      <div>
        <p>This could not be shown: {inert(message)}</p>
        {instead}
        {of !== undefined && (
          <details>
            <summary>As it came</summary>
            <RawJson value={of} label="Not shown" />
          </details>
        )}
        <Button onClick={onAgain}>Try again</Button>
      </div>
    </div>
  );
}
