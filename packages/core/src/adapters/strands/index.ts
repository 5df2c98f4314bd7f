export type { AdapterOptions } from "../_session/adapter-session.js";
export { guardStrands, type StrandsModule, type StrandsPlugin } from "./guard-strands.js";
