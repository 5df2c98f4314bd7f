export { connectServer } from "./nats/connect.js";
