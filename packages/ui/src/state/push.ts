import { signal } from "@preact/signals";
import { bytesOf } from "../api/bytes.js";
import { hub } from "../api/calls.js";

/** Whether this browser gets push messages from the hub; undefined where it cannot. */
export const push = signal<"on" | "off" | undefined>(undefined);

const WORKER = "/worker.js";
interface ScriptPolicies {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): string };
}

/** Only the public address has push messages: elsewhere the dashboard has no worker. */
export async function followPush(): Promise<void> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  const made = await registration?.pushManager.getSubscription();
  // A hub that has signed all browsers out has forgotten this one.
  push.value = made && (await isKnown(made)) ? "on" : "off";
}

async function isKnown(made: PushSubscription): Promise<boolean> {
  try {
    await tellHub(made);
    return true;
  } catch {
    return false;
  }
}

async function tellHub(made: PushSubscription): Promise<void> {
  const { endpoint, keys = {} } = made.toJSON();
  await hub.subscribePush({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } });
}

/** Asks the person, and then the browser's push service. Throws if either does not want to. */
export async function turnPushOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser does not allow notifications for the dashboard.");
  await navigator.serviceWorker.register(workerAddress());
  const registration = await navigator.serviceWorker.ready;
  const { pushKey } = await hub.phone();
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(pushKey) });
  await tellHub(made);
  push.value = "on";
}

export async function turnPushOff(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) {
    await hub.unsubscribePush(subscription.endpoint);
    await subscription.unsubscribe();
  }
  push.value = "off";
}

/** The page's policy allows no other script than this one. */
function workerAddress(): string {
  const { trustedTypes } = window as { readonly trustedTypes?: ScriptPolicies };
  if (trustedTypes === undefined) return WORKER;
  policy ??= trustedTypes.createPolicy("hookline-worker", { createScriptURL: () => WORKER });
  return policy.createScriptURL(WORKER);
}

let policy: ReturnType<ScriptPolicies["createPolicy"]> | undefined;
