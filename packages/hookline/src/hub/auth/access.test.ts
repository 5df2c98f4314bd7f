import { expect, it } from "vitest";
import { commandList } from "../../cli/command-list.js";
import type { ListedCommand } from "../../cli/command-module.js";
import { routes } from "../routes/table.js";
import { accessOf } from "./access.js";

it("names the access of every route, and no route changes it unnoticed", () => {
  expect(
    Object.fromEntries(routes.map(({ method, path, access, operatesWhen }) => [`${method} ${path}`, shown(access, operatesWhen)])),
  ).toEqual({
    "GET /api/hooks/health": "read",
    "GET /api/hooks/proof": "read",
    "POST /api/login": "read, the link may approve",
    "GET /": "read",
    "GET /login": "read",
    "GET /login.js": "read",
    "GET /assets/:file": "read",
    "POST /api/login/link": "read, it asks for `approve`",
    "POST /api/logout": "read, it signs out everywhere",
    "GET /api/me": "read",
    "POST /api/operator": "ask",
    "GET /api/status": "read",
    "POST /api/hooks/ingest": "ask",
    "POST /api/decide": "ask",
    "POST /api/transform": "ask",
    "GET /api/fleet": "read",
    "GET /api/fleet/questions": "read",
    "POST /api/fleet/follow": "operate",
    "GET /api/events": "read",
    "GET /api/events/:id": "read",
    "GET /api/export": "read",
    "GET /api/verify": "read",
    "GET /api/transcripts/:id": "read",
    "GET /api/stream": "read",
    "GET /api/overview": "read",
    "GET /api/sessions": "read",
    "GET /api/sessions/:id/timeline": "read",
    "POST /api/sessions/:id/inject": "operate",
    "POST /api/sessions/:id/remind": "operate",
    "GET /api/handlers": "read",
    "GET /api/faults": "read",
    "GET /api/alarms": "read",
    "POST /api/alarms/acknowledge": "operate",
    "GET /api/tools": "read",
    "POST /api/handlers/test": "operate",
    "POST /api/handlers/:owner": "operate",
    "GET /api/sinks": "read",
    "GET /api/sources": "read",
    "GET /api/sources/:instance/handlers": "read",
    "GET /metrics": "read",
    "GET /api/openapi.json": "read",
    "POST /api/agents/:agent/:event": "ask",
    "GET /api/approvals": "read",
    "GET /api/approvals/always": "read",
    "POST /api/approvals/always/:hash/forget": "operate",
    "POST /api/approvals/:id": "operate",
    "GET /api/policy": "read",
    "GET /api/policy/bundle": "read",
    "POST /api/policy/accept": "operate",
    "GET /api/pause": "read",
    "POST /api/pause": "operate",
    "POST /api/resume": "operate",
    "POST /api/selftest": "ask",
    "GET /api/protect": "read",
    "POST /api/protect/passkey": "read",
    "POST /api/protect/on": "operate",
    "POST /api/protect/factors": "operate",
    "POST /api/protect/factors/remove": "operate",
    "POST /api/protect/recovery": "operate",
    "POST /api/protect/recover": "operate",
    "POST /api/protect/off": "operate",
    "POST /api/operate/confirm": "operate",
    "POST /api/demo": "ask",
    "POST /api/imports": "operate",
    "POST /api/imports/:key": "ask",
    "POST /api/rules/backtest": "read",
    "POST /api/rules/reset": "operate",
    "POST /api/token/rotate": "operate",
    "POST /api/stop": "operate",
  });
});

it("names the access of every command, and no command changes it unnoticed", async () => {
  expect(Object.fromEntries(await leaves("", commandList))).toEqual({
    import: "operate, reads with dryRun",
    "fleet dev": "operate",
    "fleet doctor": "read",
    "fleet hosts list": "read",
    "fleet hosts revoke": "operate",
    "fleet init": "operate",
    "fleet invite": "operate",
    "fleet join": "operate",
    "fleet leave": "operate",
    "fleet people add": "operate",
    "fleet people list": "read",
    "fleet people remove": "operate",
    "fleet policy push": "operate",
    "fleet policy rollback": "operate",
    "fleet policy status": "read",
    "fleet status": "read",
    "fleet up": "operate",
    "protect totp": "operate",
    "rules backtest": "read",
    "rules coverage": "read",
    "rules diff": "read",
    "rules explain": "read",
    "rules promote": "operate",
    "rules remove": "operate",
    "rules reset": "operate",
    "rules shadow": "read",
    "rules sign": "operate",
    up: "operate",
    down: "operate",
    status: "read",
    alarms: "read, operates with acknowledge",
    tail: "read",
    sessions: "read",
    show: "read",
    emit: "ask",
    approvals: "read",
    approve: "operate",
    deny: "operate",
    inject: "operate",
    remind: "operate",
    pause: "operate",
    "policy bundle": "operate",
    "policy diff": "read",
    "policy status": "read",
    "policy accept": "operate",
    resume: "operate",
    open: "read, operates with approve",
    logout: "operate",
    "hooks list": "read",
    "hooks new": "operate",
    "hooks test": "operate",
    "hooks trust": "operate",
    "hooks revoke": "operate",
    "hooks enable": "operate",
    "hooks disable": "operate",
    "hooks doctor": "read, operates with reviewed",
    "hooks import": "operate",
    agents: "read",
    attach: "operate, reads with dryRun,check",
    audit: "read",
    detach: "operate, reads with dryRun",
    run: "ask",
    demo: "ask",
    init: "operate",
    "rules list": "read",
    "rules add": "operate",
    "rules test": "read",
    "rules enable": "operate",
    "rules disable": "operate",
    selftest: "ask",
    verify: "read",
    "config show": "read",
    doctor: "read",
    redeliver: "operate, reads with dryRun",
    "protect status": "read",
    "protect on": "operate",
    "protect off": "operate",
    "protect passphrase": "operate",
    "protect code": "operate",
    "protect recover": "operate",
    "service status": "read",
    "service install": "operate, reads with dryRun",
    "service uninstall": "operate, reads with dryRun",
    "token rotate": "operate",
  });
});

it("reads the whole body of every operating route before it runs, because a confirmation is for that body", () => {
  expect(routes.filter((route) => accessOf(route) === "operate" && (route.body === undefined || route.rawBody !== undefined))).toEqual([]);
});

it("counts what does not declare its access as operating", () => {
  expect(accessOf({})).toBe("operate");
});

function shown(access: string | undefined, ...exceptions: readonly (string | undefined)[]): string {
  return [access ?? "undeclared", ...exceptions.filter(Boolean)].join(", ");
}

async function leaves(prefix: string, list: readonly ListedCommand[]): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const { name, load, access, operatesWith, readsWith } of list) {
    const { command } = await load();
    if ("subcommands" in command) found.push(...(await leaves(`${prefix}${name} `, command.subcommands)));
    else
      found.push([
        `${prefix}${name}`,
        shown(access, operatesWith && `operates with ${operatesWith}`, readsWith && `reads with ${readsWith}`),
      ]);
  }
  return found;
}
