export { defaultFailureMode } from "../../rules/default-failure.js";
