/**
 * What it takes to operate the hub. `plain`: any process of the user can. `protect`: it needs a factor that these processes do not have.
 * `managed`: the hub runs as a user of its own.
 */
export type Mode = "plain" | "protect" | "managed";

/** In the state folder while protect is on. */
export const PROTECT_FILE = "protect.json";

export function modeOf({
  protect,
  managed,
}: {
  readonly protect: { readonly isOn: boolean };
  readonly managed?: object | undefined;
}): Mode {
  if (managed !== undefined) return "managed";
  return protect.isOn ? "protect" : "plain";
}

/** What the mode means, in a sentence for people. */
export const MODE_MEANS: { readonly [M in Mode]: string } = {
  plain: "Any program under your account can approve calls and change the guards.",
  protect: "Approving calls and changing the guards needs your passkey or passphrase.",
  managed: "The hub runs as its own user, and agents can only ask it.",
};
