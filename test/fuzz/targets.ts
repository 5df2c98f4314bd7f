import type { FuzzTarget } from "./target.ts";
import { dialects } from "./targets/dialects.ts";
import { envelopes } from "./targets/envelopes.ts";
import { http } from "./targets/http.ts";
import { line } from "./targets/line.ts";
import { manifests } from "./targets/manifests.ts";
import { shell } from "./targets/shell.ts";
import { toml } from "./targets/toml.ts";
import { transcripts } from "./targets/transcripts.ts";

export const targets: readonly FuzzTarget[] = [line, http, envelopes, toml, manifests, dialects, transcripts, shell];
