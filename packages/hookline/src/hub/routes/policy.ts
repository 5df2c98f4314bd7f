import { z } from "zod";
import { json } from "../http/answer.js";
import { refusedAs } from "../http/refused.js";
import type { Wanted } from "../policy/acceptance.js";
import type { Keys } from "../policy/policy-differences.js";
import type { BundleRulesAnswer, BundleStatus, PolicyAcceptAnswer, PolicyAnswer } from "../protocol.js";
import { route } from "./route.js";
import { contract, count, milliseconds } from "./schemas.js";

const policyChange = z
  .object({
    id: z.string().describe("Such as `rule:no-push` or `hook:hooks/guard`."),
    kind: z.enum(["rule", "hook", "setting"]),
    name: z.string(),
    change: z.enum(["new", "changed", "removed"]),
    isCode: z.boolean().describe("Something else would run."),
    what: z.string().describe("What differs from the accepted policy."),
    inForce: z.string().describe("What applies until it is accepted."),
    denies: z.boolean().describe("Calls are denied because of it."),
    digest: z.string().describe("Identifies this version of the change. Send it back to accept exactly this."),
    diff: z.string().describe("The difference, in the form of `diff -u`; of a new hook, its files."),
  })
  .describe("A change on disk that waits for acceptance.")
  .register(contract, { id: "PolicyChange" });

export const policy = route({
  method: "GET",
  path: "/api/policy",
  scope: "read",
  access: "read",
  summary: "Lists the changes of rules and hooks that wait for the operator's acceptance",
  answer: {
    description: "The changes; an empty list when the policy on disk is in force.",
    body: z
      .object({
        mode: z.enum(["plain", "protect", "managed"]),
        changes: z.array(policyChange),
        lost: z.string().exactOptional().describe("Why it is unknown what was accepted before."),
        held: z.string().exactOptional().describe("Why changes wait in plain mode too: they come from a backup that another hub made."),
      })
      .register(contract, { id: "PolicyAnswer" }),
  },
  handle: async ({ parts }) => json((await parts.policy.list()) satisfies PolicyAnswer),
});

const bundleStatus = z
  .object({
    isConfigured: z.boolean().describe("False where the policy consists of local files alone."),
    from: z
      .string()
      .exactOptional()
      .describe("The folder, file or URL from which bundles come; `fleet` for a fleet that the hub has joined."),
    channel: z.string().exactOptional(),
    onStale: z.enum(["keep", "tighten", "closed"]).exactOptional(),
    stale: z.string().exactOptional().describe("Why the policy is out of date."),
    effect: z.string().exactOptional().describe("What applies while it is out of date."),
    failed: z.string().exactOptional().describe("Why the source could not be read at the last try."),
    refused: z.string().exactOptional().describe("Why the last bundle that was offered is not in force."),
    bundle: z
      .object({
        name: z.string(),
        channel: z.string(),
        serial: count,
        digest: z.string(),
        signer: z.string(),
        fingerprint: z.string().describe("Of the signer's key."),
        notAfter: milliseconds,
        activatedAt: milliseconds,
        confirmedAt: milliseconds.describe("When the source last said that there is nothing newer."),
      })
      .exactOptional()
      .describe("The bundle in force."),
  })
  .register(contract, { id: "BundleStatus" });

export const bundle = route({
  method: "GET",
  path: "/api/policy/bundle",
  scope: "read",
  access: "read",
  summary: "Shows the signed policy bundle that is in force",
  answer: { description: "Where it comes from, its serial and signer, and whether it is out of date.", body: bundleStatus },
  handle: ({ parts }) => json(parts.bundles.status() satisfies BundleStatus),
});

export const bundleRules = route({
  method: "GET",
  path: "/api/policy/bundle/rules",
  scope: "read",
  access: "read",
  summary: "Shows the rule files of the signed policy bundle that is in force",
  answer: {
    description: "The files; no bundle is in force without `bundle`.",
    body: z
      .object({
        bundle: z
          .object({
            name: z.string(),
            channel: z.string(),
            serial: count,
            signer: z.string(),
            files: z.record(z.string(), z.string()).describe("The text of each file by its path."),
          })
          .exactOptional(),
      })
      .register(contract, { id: "BundleRulesAnswer" }),
  },
  handle({ parts }) {
    const found = parts.bundles.ruleFiles();
    return json((found === undefined ? {} : { bundle: found }) satisfies BundleRulesAnswer);
  },
});

/** The body says one or the other. */
function wantedOf({ id, digest, set = {} }: { readonly id: string; readonly digest?: string; readonly set?: Keys }): Wanted {
  return digest === undefined ? { id, set } : { id, digest };
}

const NOT_SHOWN = "needs the `digest` of the change that was shown.";

export const acceptPolicy = route({
  method: "POST",
  path: "/api/policy/accept",
  scope: "approve",
  access: "operate",
  summary: "Accepts changes of rules and hooks",
  allows: ({ body: { changes } }) =>
    `Put these changes of the policy into force: ${changes.map((one) => `${one.id} (${one.digest === undefined ? `only ${JSON.stringify(one.set)}` : one.digest})`).join(", ")}.`,
  body: z
    .strictObject({
      changes: z
        .array(
          z
            .strictObject({
              id: z.string().max(1_000),
              digest: z
                .string()
                .regex(/^[0-9a-f]{64}$/, { error: "must be the digest of the change that was shown." })
                .exactOptional()
                .describe("The `digest` of the change that the operator saw. Another version is refused, and then nothing is accepted."),
              set: z
                .strictObject({ enabled: z.boolean().exactOptional(), mode: z.literal("enforce").exactOptional() })
                .exactOptional()
                .describe(
                  "In place of `digest`: what the operator set on the accepted version. A change that does anything else is refused.",
                ),
            })
            .refine(({ digest, set }) => (digest === undefined) !== (set === undefined), { error: NOT_SHOWN }),
        )
        .max(1_000)
        .describe("What is in force already is left out of the answer."),
    })
    .register(contract, { id: "PolicyAcceptRequest" }),
  answer: {
    description: "The changes are in force.",
    body: z.object({ accepted: z.array(z.string()).describe("Their ids.") }).register(contract, { id: "PolicyAcceptAnswer" }),
  },
  async handle({ parts, body: { changes } }) {
    const accepted = await refusedAs({ HL_NOT_SHOWN: 409, HL_TRUST_FOLDER: 409 }, parts.policy.accept(changes.map(wantedOf)));
    return json({ accepted: [...accepted] } satisfies PolicyAcceptAnswer);
  },
});
