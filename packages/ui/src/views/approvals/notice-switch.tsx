import { Button } from "../../parts/button.js";
import { askForNotices } from "../../state/attention.js";
import { say } from "../../state/notices.js";
import { wantsNotices } from "../../state/settings.js";

/** Whether the browser tells of calls that wait while the page is not seen. */
export function NoticeSwitch() {
  const isOn = wantsNotices.value === "on";
  const toggle = async () => {
    if (isOn) wantsNotices.value = "off";
    else if (!(await askForNotices())) say("The browser does not allow notifications for this page.", { kind: "bad" });
  };
  return (
    <Button icon="bell" isPressed={isOn} onClick={() => void toggle()}>
      {isOn ? "Notifications on" : "Notify me"}
    </Button>
  );
}
