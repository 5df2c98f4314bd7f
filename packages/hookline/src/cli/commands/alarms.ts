import { inertJson } from "@hookline/core/internal/text";
import type { AcknowledgeAnswer, AlarmsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { alarmLines } from "../format/alarm-text.js";
import { countText } from "../format/amounts.js";
import { connectHub } from "../hub-client.js";
import { userName } from "../user-name.js";

export const command: CommandModule<{ readonly acknowledge?: boolean; readonly all?: boolean; readonly json?: boolean }> = {
  define(command) {
    command
      .option("--acknowledge", "record that you have seen them: they are no longer shown")
      .option("--all", "also list those that a person has acknowledged")
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline alarms", "hookline alarms --acknowledge"));
  },

  async run(terminal, { acknowledge = false, all = false, json = false }) {
    const hub = await connectHub(terminal.env);
    const answer = await hub.get<AlarmsAnswer>("/api/alarms");
    const shown = answer.alarms.filter(({ acknowledged }) => all || acknowledged === undefined);
    if (json) terminal.print(inertJson(JSON.stringify({ ...answer, alarms: shown }, undefined, 2)));
    else if (shown.length === 0) terminal.say("There are no alarms.");
    else terminal.print(shown.map((alarm) => alarmLines(alarm).join("\n")).join("\n\n"));
    if (answer.unlisted > 0)
      terminal.say(`${countText(answer.unlisted, "older alarm")}: hookline tail --event 'guard:*' --event permission:refused`);
    if (acknowledge) {
      const ids = shown.filter(({ acknowledged }) => acknowledged === undefined).map(({ id }) => id);
      const body = JSON.stringify({ by: userName(), ids, unlisted: answer.unlisted });
      const { acknowledged } = await hub.post<AcknowledgeAnswer>("/api/alarms/acknowledge", body);
      terminal.say(`${countText(acknowledged, "alarm")} acknowledged.`);
    } else if (!json && answer.waiting > 0) terminal.say("\nWhen you have looked at them: hookline alarms --acknowledge");
    return EXIT.ok;
  },
};
