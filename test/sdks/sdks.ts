import type { CachedPackage } from "../support/install-packages.ts";

export interface Sdk {
  /** The name of its adapter and of its driver. */
  readonly id: string;
  readonly packages: readonly CachedPackage[];
  /** Scenarios that the SDK's interface does not allow, with the reason. */
  readonly cannot?: { readonly [scenario: string]: string };
}

const zod = { package: "zod", version: "4.6.7" };
const mcpSdk = { package: "@modelcontextprotocol/sdk", version: "1.32.2" };

/** The SDKs that have an adapter, at the versions that were tried. */
export const sdks: readonly Sdk[] = [
  { id: "ai-sdk", packages: [{ package: "ai", version: "7.0.170" }, zod] },
  {
    id: "openai-agents",
    packages: [{ package: "@openai/agents", version: "0.20.0" }, zod],
    cannot: { "one id twice": "the SDK itself refuses an id that it has seen" },
  },
  {
    id: "claude-agent-sdk",
    packages: [{ package: "@anthropic-ai/claude-agent-sdk", version: "0.3.326" }, zod],
    cannot: { "model call denied": "the SDK has no hook before a model call" },
  },
  {
    id: "langchain",
    packages: [
      { package: "langchain", version: "1.5.14" },
      { package: "@langchain/core", version: "1.2.13" },
      { package: "@langchain/langgraph", version: "1.4.13" },
      zod,
    ],
  },
  {
    id: "mastra",
    packages: [{ package: "@mastra/core", version: "1.71.0" }, zod],
    cannot: { result: "a hook of Mastra cannot replace a result; wrap the tools instead" },
  },
  // Strands needs all of these, and names them as peers.
  {
    id: "strands",
    packages: [{ package: "@strands-agents/sdk", version: "1.19.0" }, { package: "@opentelemetry/api", version: "1.9.1" }, mcpSdk, zod],
  },
  {
    id: "mcp-sdk",
    packages: [mcpSdk, zod],
    cannot: {
      usage: "a client of a server calls no model",
      inject: "a client of a server calls no model",
      "model call denied": "a client of a server calls no model",
    },
  },
];
