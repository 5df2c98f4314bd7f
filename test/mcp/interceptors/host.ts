import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Descriptor, Interceptor } from "../../../packages/mcp/dist/serve/interceptor-registry.js";
import { InterceptorRegistry } from "../../../packages/mcp/dist/serve/interceptor-registry.js";
import { createInterceptorServer } from "../../../packages/mcp/dist/serve/interceptor-server.js";

const anything = z.looseObject({});

// biome-ignore lint/suspicious/noExplicitAny: payloads and results of any shape
type Json = any;
type Phase = "request" | "response";

export interface Chain {
  readonly event: string;
  readonly phase: Phase;
  readonly payload: Json;
  readonly sessionId: string | undefined;
}

/** A host of interceptors, as the draft describes it: Hookline is none itself. It reaches them by MCP. */
export class InterceptorHost {
  readonly #client = new Client({ name: "host", version: "1" });

  static async open(interceptors: readonly Interceptor[]): Promise<InterceptorHost> {
    const host = new InterceptorHost();
    const [near, far] = InMemoryTransport.createLinkedPair();
    await createInterceptorServer(new InterceptorRegistry(interceptors)).connect(far);
    await host.#client.connect(near);
    return host;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async list(event?: string | null): Promise<Json> {
    return withoutMeta(await this.#client.request({ method: "interceptors/list", params: event == null ? {} : { event } }, anything));
  }

  async invoke(params: Json): Promise<Json> {
    return withoutMeta(await this.#client.request({ method: "interceptor/invoke", params }, anything));
  }

  /** Requests are changed, then judged; responses are judged, then changed. */
  async run({ event, phase, payload, sessionId }: Chain): Promise<{ readonly decision: "allow" | "deny"; readonly finalPayload: Json }> {
    const { interceptors } = (await this.list(event)) as { readonly interceptors: readonly Descriptor[] };
    const here = interceptors.filter(({ hooks }) => hooks.some((hook) => hook.phase === phase));
    const order = phase === "request" ? ["mutation", "validation"] : ["validation", "mutation"];
    const sorted = order.flatMap((type) => here.filter((one) => one.type === type).sort((a, b) => (a.name < b.name ? -1 : 1)));
    let current = payload;
    for (const { name, type, mode, failOpen } of sorted) {
      const context = sessionId === undefined ? {} : { context: { sessionId } };
      try {
        const result = await this.invoke({ name, event, phase, payload: current, ...context });
        if (mode === "audit") continue;
        if (type === "mutation" && result.modified === true) current = result.payload;
        if (type === "validation" && result.valid !== true && result.severity === "error")
          return { decision: "deny", finalPayload: current };
      } catch {
        if (mode !== "audit" && failOpen !== true) return { decision: "deny", finalPayload: current };
      }
    }
    return { decision: "allow", finalPayload: current };
  }
}

function withoutMeta({ _meta, resultType, ...rest }: Json): Json {
  return rest;
}
