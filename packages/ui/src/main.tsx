import { render } from "preact";
import { App } from "./shell/app.js";
import { recogniseMe } from "./state/access.js";
import { followApprovals } from "./state/approvals.js";
import { drawAttention } from "./state/attention.js";
import { startConnection } from "./state/connection.js";

const root = document.getElementById("page");
if (root !== null) {
  render(<App />, root);
  void recogniseMe();
  startConnection();
  followApprovals();
  drawAttention();
}
