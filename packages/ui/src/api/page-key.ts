import { KEY_HEADER, KEY_STORAGE } from "../../../hookline/src/hub/protocol.js";

/** What this page got when it logged in: the cookie alone, which every page of this address would send, may only read. */
export function keyHeader(): { readonly [name: string]: string } {
  const key = readKey();
  return key === null ? {} : { [KEY_HEADER]: key };
}

/** Storage can be forbidden; then the page may look, not answer. */
function readKey(): string | null {
  try {
    return window.localStorage.getItem(KEY_STORAGE);
  } catch {
    return null;
  }
}

/** For this browser is signed in. */
export function keepKey(key: string): void {
  window.localStorage.setItem(KEY_STORAGE, key);
}

/** For this browser is signed out; its other tabs are told by the browser. */
export function forgetKey(): void {
  try {
    window.localStorage.removeItem(KEY_STORAGE);
  } catch {}
}
