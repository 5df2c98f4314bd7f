import { agents } from "../../packages/hookline/src/agents/agents.js";

/** The agents whose hooks run a command. Those with a plugin in their own process have tests of their own (`plugin-client.test.ts`, `npm run test:agents`). */
export const commandAgents = agents.filter(({ install }) => install.plugin === undefined);
