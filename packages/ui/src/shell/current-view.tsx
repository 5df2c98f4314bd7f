import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiError, apiErrorOf } from "../api/api-error.js";
import { Boundary } from "../parts/boundary.js";
import { Trouble } from "../parts/trouble.js";
import { mendLanguage } from "../state/language.js";
import { type View, view } from "../state/location.js";
import { ApprovalsView } from "../views/approvals/approvals-view.js";
import { FlowView } from "../views/flow/flow-view.js";
import { HandlersView } from "../views/handlers/handlers-view.js";
import { LiveView } from "../views/live/live-view.js";
import { SessionsView } from "../views/sessions/sessions-view.js";
import { TranscriptView } from "../views/transcript/transcript-view.js";

const VIEWS: { readonly [V in View]: ComponentType } = {
  live: LiveView,
  sessions: SessionsView,
  approvals: ApprovalsView,
  handlers: HandlersView,
  flow: FlowView,
  overview: LateOverview,
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

/** The charts are half of the page's code, and most visits do without them. */
function LateOverview() {
  const [Overview, setOverview] = useState<ComponentType>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    mendLanguage();
    import("../views/overview/overview-view.js").then(
      ({ OverviewView }) => setOverview(() => OverviewView),
      (thrown: unknown) => setError(apiErrorOf(thrown)),
    );
  }, []);
  if (Overview !== undefined) return <Overview />;
  return (
    <section class="view" aria-busy={error === undefined}>
      <Trouble error={error} />
    </section>
  );
}
