import type { OverviewAnswer } from "../../api/answers.js";
import { hrefOf } from "../../state/location.js";
import { countText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { BarList } from "./bar-list.js";

export function TopTools({ overview }: { readonly overview: OverviewAnswer }) {
  const rows = overview.topTools.map(({ tool, count, denied }) => ({
    name: inert(tool),
    href: hrefOf("live", { tool }),
    value: count,
    part: denied,
    note: denied > 0 ? `${countText(denied)} denied` : "",
  }));
  return <BarList title="Top tools, by calls" rows={rows} nothing="No tool was called." />;
}

export function TopRules({ overview }: { readonly overview: OverviewAnswer }) {
  const rows = overview.topRules.map(({ rule, denied, asked }) => ({
    name: inert(rule),
    href: hrefOf("handlers", { find: rule }),
    value: denied + asked,
    part: denied,
    note: [denied > 0 ? `${countText(denied)} denied` : "", asked > 0 ? `${countText(asked)} asked` : ""]
      .filter((text) => text !== "")
      .join(", "),
  }));
  return <BarList title="Who said no, or asked" rows={rows} nothing="Nobody did." />;
}
