import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { hub } from "../api/calls.js";
import { sayError } from "../state/notices.js";
import { useLoaded } from "../state/use-loaded.js";
import type { ProtectDialog } from "./protect-dialog.js";

const EVERY_MS = 5_000;

type Dialog = ComponentType<Parameters<typeof ProtectDialog>[0]>;

/** Whether operating needs a person's confirmation. A click shows what that means. */
export function ProtectState() {
  const { data, reload } = useLoaded(hub.protect, "protect", EVERY_MS);
  const [dialog, setDialog] = useState<{ readonly Open: Dialog }>();
  if (data === undefined) return null;
  const open = () => import("./protect-dialog.js").then(({ ProtectDialog: Open }) => setDialog({ Open }), sayError);
  return (
    <>
      <button type="button" class="link side-protect" title={data.locked ?? data.means} onClick={() => void open()}>
        Protect: {data.locked === undefined ? (data.isOn ? "on" : "off") : "locked"}
      </button>
      {dialog !== undefined && <dialog.Open facts={data} onChange={reload} onClose={() => setDialog(undefined)} />}
    </>
  );
}
