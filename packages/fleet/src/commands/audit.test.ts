import { expect, it } from "vitest";
import { auditRow } from "./audit.js";

it("an entry of the audit is shown in words, without keys and signatures", () => {
  const at = "2026-11-18T00:46:10.609Z";
  const rows = [
    {
      at,
      kind: "person",
      name: "admin",
      action: "host-invited",
      facts: { subject: "laptop", details: { labels: { team: "web" }, serial: 7 } },
    },
    { at, kind: "person", name: "admin", action: "host-invited", facts: { subject: "laptop", details: { labels: {}, serial: 8 } } },
    {
      at,
      kind: "hub",
      name: "central",
      action: "call-allowed",
      facts: { subject: "q1", details: { person: "alex", proof: "passkey", host: "laptop", hash: "3f9a" } },
    },
    {
      at,
      kind: "person",
      name: "pia",
      action: "policy-pushed",
      facts: { subject: "web@3", details: { channel: "canary", digest: "ab12", ring: { percent: 10 } } },
    },
    { at, kind: "host", name: "anna", action: "x", facts: { details: { note: "a\u001b[31mred" } } },
    { at, kind: "host", name: "anna", action: "x", facts: {} },
    {
      at,
      kind: "person",
      name: "pia",
      action: "policy-pushed",
      facts: { subject: "web@4", details: { ring: { percent: 10, labels: { team: "web", kind: "ci" } }, notes: ["a", { b: null }] } },
    },
    { at, kind: "unknown", name: "-", action: "not-an-entry", facts: { subject: "hl.audit.person.admin.x" } },
  ];
  expect(rows.map(auditRow)).toEqual([
    ["2026-11-18T00:46:10Z", "person admin", "host invited", "laptop", "labels team=web, serial 7"],
    ["2026-11-18T00:46:10Z", "person admin", "host invited", "laptop", "serial 8"],
    ["2026-11-18T00:46:10Z", "alex at hub central", "call allowed", "q1", "host laptop, hash 3f9a"],
    ["2026-11-18T00:46:10Z", "person pia", "policy pushed", "web@3", "channel canary, ring percent=10"],
    ["2026-11-18T00:46:10Z", "host anna", "x", "-", expect.not.stringContaining("\u001b")],
    ["2026-11-18T00:46:10Z", "host anna", "x", "-", ""],
    ["2026-11-18T00:46:10Z", "person pia", "policy pushed", "web@4", "ring percent=10 labels team=web kind=ci, notes a"],
    ["2026-11-18T00:46:10Z", "unknown", "not an entry", "hl.audit.person.admin.x", ""],
  ]);
});
