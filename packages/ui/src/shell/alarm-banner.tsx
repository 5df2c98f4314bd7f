import { useState } from "preact/hooks";
import type { Alarm } from "../api/answers.js";
import { hub } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Command } from "../parts/command.js";
import { Icon } from "../parts/icon.js";
import { isNarrow } from "../parts/narrow.js";
import { Clock } from "../parts/time.js";
import { canApprove } from "../state/access.js";
import { sayError } from "../state/notices.js";
import { useLoaded } from "../state/use-loaded.js";
import { pluralText } from "../text/amounts.js";
import { inert } from "../text/inert.js";

const EVERY_MS = 1_000;
const SHOWN = { wide: 2, narrow: 1 };

/** Attempts to operate that were refused, and changes to what the guards depend on. Every view shows them until a person acknowledges them. */
export function AlarmBanner() {
  const { data, reload } = useLoaded(hub.alarms, "alarms", EVERY_MS);
  const [isSending, setSending] = useState(false);
  const waiting = (data?.alarms ?? []).filter(({ acknowledged, kind }) => acknowledged === undefined && kind !== "changed");
  const shown = waiting.slice(0, isNarrow.value ? SHOWN.narrow : SHOWN.wide);
  const rest = (data?.waiting ?? 0) - shown.reduce((sum, { count }) => sum + count, 0);
  const acknowledge = async (id: string) => {
    setSending(true);
    await hub.acknowledge([id]).catch(sayError);
    setSending(false);
    reload();
  };
  return (
    <div role="status" aria-label="Alarms">
      {shown.map((alarm) => (
        <OneAlarm key={alarm.id} alarm={alarm} isSending={isSending} onAcknowledge={() => void acknowledge(alarm.id)} />
      ))}
      {rest > 0 && (
        <p class="banner banner-fault">
          And {pluralText(rest, "more alarm")}: <Command>hookline alarms</Command>
        </p>
      )}
    </div>
  );
}

interface OneAlarmProps {
  readonly alarm: Alarm;
  readonly isSending: boolean;
  readonly onAcknowledge: () => void;
}

function OneAlarm({ alarm: { kind, text, fix, path, process, count, lastAt }, isSending, onAcknowledge }: OneAlarmProps) {
  return (
    <div class="banner banner-fault banner-paused">
      <Icon name="warn" size={14} />
      <div>
        <p>
          <strong>
            {KINDS[kind]} at <Clock at={lastAt} isShort />
            {count > 1 && `, ${count} times`}.
          </strong>{" "}
          {inert(text)}
          {fix !== undefined && ` ${inert(fix)}`}
          {!canApprove.value && (
            <>
              {" "}
              To acknowledge it: <Command>hookline alarms --acknowledge</Command>
            </>
          )}
        </p>
        {(path !== undefined || process !== undefined) && (
          <p class="mono fault-what">
            <bdi>
              {inert([path, process && `process ${process.pid} ${process.command ?? process.program ?? ""}`].filter(Boolean).join(", "))}
            </bdi>
          </p>
        )}
      </div>
      {canApprove.value && (
        <Button isDisabled={isSending} onClick={onAcknowledge}>
          Acknowledge
        </Button>
      )}
    </div>
  );
}

const KINDS: { readonly [kind in Alarm["kind"]]: string } = {
  refused: "Alarm: an attempt to operate was refused",
  tampered: "Alarm: a file that the guards depend on changed",
  loosened: "Alarm: the policy allows more",
  changed: "The policy allows more",
  operated: "Alarm: a process without a terminal acted as the operator",
};
