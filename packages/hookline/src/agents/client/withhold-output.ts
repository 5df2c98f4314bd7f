import { readFileSync } from "node:fs";
import { argv, exit, stdout } from "node:process";
import { findAgent } from "../agents.js";
import { withheldReply } from "./denials.js";

// For agents that accept a new output only in the tool's own shape. The script runs this when it could not reach the hub, with the call on stdin.
const [, , id = "", native = ""] = argv;
const agent = findAgent(id);
if (agent === undefined) exit(1);
stdout.write(withheldReply(agent, native, JSON.parse(readFileSync(0, "utf8"))).stdout);
