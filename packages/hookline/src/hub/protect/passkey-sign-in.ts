import { createChallenges } from "./challenges.js";
import { type AssertionResponse, verifyPasskey } from "./passkeys.js";
import type { Passkey } from "./settings.js";

/** Signs people in with a passkey, without a link. */
export interface PasskeySignIn {
  /** A challenge to sign in with at this origin. It works once, for two minutes. */
  challenge(origin: string): string;
  /** The passkey, one of these, that signed such a challenge there; nothing for any other answer. */
  recognise(response: AssertionResponse, origin: string, passkeys: readonly Passkey[]): Promise<Passkey | undefined>;
}

const SIGN_IN = "hookline sign-in 1";

export function createPasskeySignIn(): PasskeySignIn {
  const challenges = createChallenges();
  return {
    challenge: (origin) => challenges.issue(`${SIGN_IN}\n${origin}`),
    async recognise(response, origin, passkeys) {
      const challenge = challengeIn(response);
      const bound = `${SIGN_IN}\n${origin}`;
      if (challenge === undefined || challenges.check(challenge, bound) !== "good") return undefined;
      const used = await verifyPasskey(response, passkeys, { origin, challenge });
      // Checked again, because another request may have used it while this one was verified.
      if (used === undefined || challenges.check(challenge, bound) !== "good") return undefined;
      challenges.use(challenge);
      return used;
    },
  };
}

function challengeIn({ response }: AssertionResponse): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString("utf8")) as {
      readonly challenge?: unknown;
    };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}
