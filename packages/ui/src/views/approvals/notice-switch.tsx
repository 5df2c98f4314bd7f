import { useEffect } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { canApprove, phone } from "../../state/access.js";
import { askForNotices } from "../../state/attention.js";
import { say, sayError } from "../../state/notices.js";
import { followPush, push, turnPushOff, turnPushOn } from "../../state/push.js";
import { wantsNotices } from "../../state/settings.js";

/** Whether the browser tells of calls that wait: while the page is not seen, and at the public address also while it is closed. */
export function NoticeSwitch() {
  const isPhone = phone.value !== undefined && canApprove.value;
  useEffect(() => void (isPhone && followPush()), [isPhone]);
  const hasPush = isPhone && push.value !== undefined;
  const isOn = hasPush ? push.value === "on" : wantsNotices.value === "on";
  const toggle = async () => {
    if (hasPush) return (isOn ? turnPushOff() : turnPushOn()).catch(sayError);
    if (isOn) wantsNotices.value = "off";
    else if (!(await askForNotices())) say("The browser does not allow notifications for the dashboard.", { kind: "bad" });
  };
  return (
    <Button icon="bell" isPressed={isOn} onClick={() => void toggle()}>
      {isOn ? "Notifications on" : "Notify me"}
    </Button>
  );
}
