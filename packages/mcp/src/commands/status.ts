import { inertText } from "@hookline/core/internal/text";
import type { CommandModule, McpTools } from "hookline/internal/mcp";
import { type Era, MODERN_VERSION } from "../protocol/era.js";
import { readRecords } from "../state/read-records.js";

const SPOKEN: { readonly [E in Era]: string } = { legacy: `before ${MODERN_VERSION}`, modern: MODERN_VERSION };

/** `hookline mcp status` */
export function statusCommand({ examples, format, readEras, EXIT }: McpTools): CommandModule<{ readonly json?: boolean }> {
  return {
    define(command) {
      command
        .option("--json", "print JSON")
        .addHelpText("after", "\nWhich revision of MCP each side spoke when it was last seen. Where they differ, the gateway translates.")
        .addHelpText("after", examples("hookline mcp status", "hookline mcp status --json | jq '.servers[].eras'"));
    },

    async run(terminal, { json = false }) {
      const eras = await readEras(terminal.env);
      const servers = readRecords(terminal.env).map(({ id, record: { name, shown, eras: spoken, pins, changed } }) => {
        const isTranslated = spoken !== undefined && spoken.client !== spoken.server;
        return { id, name, shown, eras: spoken, isTranslated, pinned: Object.keys(pins).length, changed: Object.keys(changed).length };
      });
      if (json) {
        terminal.print(JSON.stringify({ eras, servers }, undefined, 2));
        return EXIT.ok;
      }
      if (servers.length === 0)
        terminal.say("No MCP server was used yet. To put one behind the rules: hookline mcp wrap -- <server command>");
      const rows = servers.map(({ name, shown, eras: spoken, changed }) => [
        inertText(name),
        spoken === undefined ? "unknown" : SPOKEN[spoken.client],
        spoken === undefined ? "unknown" : SPOKEN[spoken.server],
        String(changed),
        inertText(shown),
      ]);
      if (rows.length > 0)
        for (const line of format.tableLines(["SERVER", "CLIENT SPEAKS", "SERVER SPEAKS", "CHANGED", "PROGRAM"], rows, terminal.columns))
          terminal.print(line);
      const translated = servers.filter((server) => server.isTranslated).map(({ name }) => inertText(name));
      if (translated.length > 0)
        terminal.say(
          `Translated between revisions: ${translated.join(", ")}. To refuse revisions before ${MODERN_VERSION}: eras = "modern" in [mcp] of hookline.toml`,
        );
      return EXIT.ok;
    },
  };
}
