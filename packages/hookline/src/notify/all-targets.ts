import type { NotifyTarget } from "./target.js";
import { desktop } from "./targets/desktop.js";
import { discord } from "./targets/discord.js";
import { email } from "./targets/email.js";
import { ntfy } from "./targets/ntfy.js";
import { slack } from "./targets/slack.js";
import { telegram } from "./targets/telegram.js";
import { webhook } from "./targets/webhook.js";

/** Every type of `[[notify]]`. The schema, the documentation and the hub derive from this list. */
export const allTargets: readonly NotifyTarget[] = [slack, discord, telegram, ntfy, email, desktop, webhook];
