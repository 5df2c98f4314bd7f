import { parseFolderManifest } from "../../../packages/hookline/dist/extensions/folder/hook-yaml.js";
import { parseExtensionManifest } from "../../../packages/hookline/dist/extensions/process/manifest.js";
import { type FuzzTarget, inProcess } from "../target.ts";
import { misplaced } from "./toml.ts";

/** `HOOK.yaml` and `extension.json`: every text is read as both. */
export const manifests: FuzzTarget = {
  name: "manifests",
  samples: [
    "name: tool-log\ndescription: A line for every call.\nevents: [tool:after]\nmatch: tool.name != 'Read'\ntimeoutMs: 2s\nonFailure: open\npermissions: [tools.observe]\n",
    'name: guard\nevents:\n  - tool:before\n  - event: session:*\nonFailure: closed\nenabled: true\ncanary: { command: "rm -rf /" }\npriority: 5\nstage: guard\n',
    "a: &a [x,x]\nb: &b [*a,*a]\nname: laughs\nevents: [*b]\n",
    JSON.stringify({
      protocol: 1,
      name: "push-guard",
      command: "node",
      args: ["guard.ts"],
      permissions: ["tools.intercept"],
      hooks: [{ event: "tool:before", match: "tool.input.command contains push", timeoutMs: 2000, onFailure: "closed" }],
      env: ["SSH_AUTH_SOCK"],
      config: { protected: { default: ["main"] }, token: { secretEnv: "GUARD_TOKEN", required: true } },
    }),
  ],
  words: [
    ...[
      "name:",
      "events:",
      "match:",
      "tool:",
      "onFailure:",
      "closed",
      "open",
      "timeout:",
      "permissions:",
      "dialect: hermes",
      "stage: rewrite",
      "&a",
      "*a",
    ],
    ...[
      "<<: *a",
      "!!js/function",
      "!!binary",
      "? ",
      "- ",
      "| ",
      "> ",
      "---",
      "...",
      "%YAML 1.1",
      '"protocol"',
      '"hooks"',
      '"framing"',
      "0o17",
      "~",
      "yes",
      ".nan",
    ],
  ],
  open: async () =>
    inProcess((input) => {
      const text = input.toString("utf8");
      for (const read of [parseFolderManifest, parseExtensionManifest]) {
        const { manifest, problems, remarks } = read(text, "/nowhere/file");
        if (manifest === undefined && problems.length === 0) return "there is no manifest, and no problem says why";
        const wrong = misplaced([...problems, ...remarks], text);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    }),
};
