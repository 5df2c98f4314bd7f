import "./state/language.js";
import { render } from "preact";
import { confirmWith } from "./api/calls.js";
import { App } from "./shell/app.js";
import { followLogins, greetKept, recogniseMe } from "./state/access.js";
import { followAnswerLink } from "./state/answer-link.js";
import { followApprovals } from "./state/approvals.js";
import { drawAttention } from "./state/attention.js";
import { startConnection } from "./state/connection.js";
import { followDeliberation } from "./state/deliberate.js";
import { followFleetParts } from "./state/fleet-parts.js";
import { followSettled } from "./state/settled-approvals.js";
import { disconnectHiddenTab, joinTabs } from "./state/tabs.js";

const root = document.getElementById("page");
if (root !== null) {
  // The link of an admin: `#enrol.<code>`.
  const [, code] = /^#enrol\.([\w-]{20,100})$/.exec(window.location.hash) ?? [];
  if (code === undefined) render(<App />, root);
  else void import("./shell/enrol.js").then(({ showEnrolment }) => showEnrolment(root, code));
  // Only an operator under `hookline protect` needs it, and the key derivation in it is large.
  confirmWith(async (...asked) => (await import("./shell/confirm-dialog.js")).askPerson(...asked));
  void recogniseMe();
  followLogins();
  followAnswerLink();
  greetKept();
  joinTabs();
  startConnection();
  disconnectHiddenTab();
  followApprovals();
  followFleetParts(async () => (await import("./views/fleet/fleet-parts.js")).parts);
  followSettled();
  drawAttention();
  followDeliberation();
}
