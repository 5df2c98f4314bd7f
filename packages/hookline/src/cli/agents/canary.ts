import type { AgentProgram } from "../../agents/attach/programs.js";

export interface CanaryAnswer {
  readonly isDenied: boolean;
  /** What came back. */
  readonly how: string;
}

/** As an agent that posts by itself would. */
export async function askByHttp(url: string, { payload }: AgentProgram["canary"], token: string): Promise<CanaryAnswer> {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(payload), redirect: "error" });
    const body = await response.text();
    return { isDenied: response.ok && /deny|block/.test(body), how: `status ${response.status}, ${JSON.stringify(body.slice(0, 200))}` };
  } catch (error) {
    return { isDenied: false, how: (error as Error).message };
  }
}
