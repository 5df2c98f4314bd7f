import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { HookError } from "../../catalog/errors.js";
import { type AddressPolicy, refusalOf } from "./address.js";

/**
 * A lookup whose answers may all be dialled. It sits between the resolver and the connection,
 * so a name that changes its address after the sink was made is checked again at every connect.
 */
export function guardLookup(lookup: LookupFunction, policy: AddressPolicy, errors: LookupErrors = ofSink): LookupFunction {
  return (hostname, options, callback) => {
    resolve(lookup, hostname, options).then(
      (found) => answer(allowedOf(found, policy) ?? errors(hostname, whyNot(found, policy)), options, callback),
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}

/** What a lookup fails with: `refusal` says which address is what, and is missing where there is no address at all. */
type LookupErrors = (hostname: string, refusal: string | undefined) => HookError;
type Callback = Parameters<LookupFunction>[2];
type Verdict = readonly string[] | HookError;

function resolve(lookup: LookupFunction, hostname: string, options: LookupOptions): Promise<string[]> {
  return new Promise((done, fail) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) fail(error);
      else done(typeof found === "string" ? [found] : found.map(({ address }) => address));
    });
  });
}

function allowedOf(found: readonly string[], policy: AddressPolicy): readonly string[] | undefined {
  const allowed = found.filter((address) => refusalOf(address, policy) === undefined);
  return allowed.length > 0 ? allowed : undefined;
}

function whyNot([first]: readonly string[], policy: AddressPolicy): string | undefined {
  return first === undefined ? undefined : `${first} is ${refusalOf(first, policy)}`;
}

function ofSink(hostname: string, refusal: string | undefined): HookError {
  if (refusal === undefined) return new HookError("HL_WEBHOOK_UNREACHABLE", `"${hostname}" has no address.`);
  const message = `A webhook must not dial "${hostname}": ${refusal}. Use an address the sink may reach.`;
  return new HookError("HL_WEBHOOK_TARGET", message);
}

function answer(verdict: Verdict, options: LookupOptions, callback: Callback): void {
  if (verdict instanceof HookError) return callback(verdict as NodeJS.ErrnoException, []);
  const addresses: LookupAddress[] = verdict.map((address) => ({ address, family: isIP(address) }));
  if (options.all) return callback(null, addresses);
  const [first] = addresses;
  callback(null, first?.address ?? "", first?.family);
}
