import type { Scenario } from "./scenario.ts";
import { asking } from "./scenarios/asking.ts";
import { attaching } from "./scenarios/attaching.ts";
import { calls } from "./scenarios/calls.ts";
import { decisions } from "./scenarios/decisions.ts";
import { guards } from "./scenarios/guards.ts";
import { hostile } from "./scenarios/hostile.ts";
import { hubLost } from "./scenarios/hub-lost.ts";
import { operating } from "./scenarios/operating.ts";
import { plugins } from "./scenarios/plugins.ts";
import { settings } from "./scenarios/settings.ts";
import { shown } from "./scenarios/shown.ts";
import { steering } from "./scenarios/steering.ts";
import { strangers } from "./scenarios/strangers.ts";
import { telling } from "./scenarios/telling.ts";

export const scenarios: readonly Scenario[] = [
  ...decisions,
  ...asking,
  ...calls,
  ...telling,
  ...hubLost,
  ...strangers,
  ...guards,
  ...attaching,
  ...settings,
  ...hostile,
  ...plugins,
  ...shown,
  ...steering,
  ...operating,
];
