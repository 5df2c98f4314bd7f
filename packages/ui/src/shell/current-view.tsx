import type { ComponentType } from "preact";
import { Boundary } from "../parts/boundary.js";
import { type View, view } from "../state/location.js";
import { ApprovalsView } from "../views/approvals/approvals-view.js";
import { FlowView } from "../views/flow/flow-view.js";
import { HandlersView } from "../views/handlers/handlers-view.js";
import { LiveView } from "../views/live/live-view.js";
import { OverviewView } from "../views/overview/overview-view.js";
import { SessionsView } from "../views/sessions/sessions-view.js";
import { TranscriptView } from "../views/transcript/transcript-view.js";

/** All of them are loaded with the page: one that is opened while the hub is away is there. */
const VIEWS: { readonly [V in View]: ComponentType } = {
  live: LiveView,
  sessions: SessionsView,
  approvals: ApprovalsView,
  handlers: HandlersView,
  flow: FlowView,
  overview: OverviewView,
  transcript: TranscriptView,
};

export function CurrentView() {
  const Current = VIEWS[view.value];
  return (
    <Boundary key={view.value}>
      <Current />
    </Boundary>
  );
}
