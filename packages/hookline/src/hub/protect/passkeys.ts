import { badRequest, type Refused } from "../http/refused.js";
import type { Passkey } from "./settings.js";

/** Loaded when it is needed: a hub without passkeys never loads it. */
const load = () => import("@simplewebauthn/server");
type Library = Awaited<ReturnType<typeof load>>;
export type RegistrationResponse = Parameters<Library["verifyRegistrationResponse"]>[0]["response"];
export type AssertionResponse = Parameters<Library["verifyAuthenticationResponse"]>[0]["response"];

/** The algorithms that the dashboard offers to an authenticator: EdDSA, ES256 and RS256. The library's default tries out an experimental one of Node. */
const ALGORITHMS = [-8, -7, -257];

export interface PasskeyPlace {
  /** The dashboard's origin as the browser sees it, with the port. */
  readonly origin: string;
  readonly rpId: string;
}

/** Checks a new passkey. Throws 400. */
export async function readNewPasskey(
  response: RegistrationResponse,
  { origin, rpId, name, isExpected }: PasskeyPlace & { readonly name: string; readonly isExpected: (challenge: string) => boolean },
): Promise<Passkey> {
  const { verifyRegistrationResponse } = await load();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: isExpected,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((cause: unknown) => {
    throw notAccepted(cause);
  });
  if (!verified) throw notAccepted(undefined);
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  return {
    id,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports: [...transports],
    rpId,
    name,
    addedAt: new Date().toISOString(),
  };
}

function notAccepted(cause: unknown): Refused {
  return badRequest(`This passkey is not accepted: ${cause instanceof Error ? cause.message : "it could not be verified"}.`);
}

/** The passkey with its new counter if it signed this challenge; `undefined` otherwise. */
export async function verifyPasskey(
  response: AssertionResponse,
  passkeys: readonly Passkey[],
  { origin, challenge }: { readonly origin: string; readonly challenge: string },
): Promise<Passkey | undefined> {
  const passkey = passkeys.find(({ id }) => id === response.id);
  if (passkey === undefined) return undefined;
  const { verifyAuthenticationResponse } = await load();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: passkey.rpId,
      requireUserVerification: true,
      credential: { id: passkey.id, publicKey: Buffer.from(passkey.publicKey, "base64url"), counter: passkey.counter },
    });
    return verified ? { ...passkey, counter: authenticationInfo.newCounter } : undefined;
  } catch {
    return undefined;
  }
}
