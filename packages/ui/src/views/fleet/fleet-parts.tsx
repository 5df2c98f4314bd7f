import { AuditView } from "./audit-view.js";
import { FleetQuestions } from "./fleet-questions.js";
import { followWaiting } from "./follow-waiting.js";
import { HostPicker } from "./host-picker.js";
import { HostsView } from "./hosts-view.js";

followWaiting();

export const parts = { FleetQuestions, HostPicker, views: { hosts: HostsView, audit: AuditView } };
