import type { Crew } from "../../test/faults/processes.ts";

/** Sends something to a hub: lines as a process, everything else as its operator. Gives the answer. */
export async function post<T>(crew: Crew, path: string, body: string | object = {}): Promise<T> {
  const { url, token } = crew.hubFile();
  const isText = typeof body === "string";
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    body: isText ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${isText || path === "/api/decide" ? token : crew.operatorToken()}`,
      "content-type": isText ? "application/x-ndjson" : "application/json",
    },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export interface FleetAnswer {
  readonly status?: { readonly isConnected?: boolean; readonly confirmed?: number; readonly last?: number; readonly roster?: number };
  readonly hosts?: readonly { readonly name: string; readonly isPresent: boolean; readonly position: number }[];
}

export function fleetOf(crew: Crew): Promise<FleetAnswer> {
  return crew.get("/api/fleet");
}
