import { readFileSync } from "node:fs";
import { argv, exit, stdout } from "node:process";
import { findAgent } from "../agents.js";
import { withheldReply } from "./denials.js";

// For agents that take another output only in the shape of the tool's: the script has asked the hub in vain, and gives the call on stdin.
const [, , id = "", native = ""] = argv;
const agent = findAgent(id);
if (agent === undefined) exit(1);
stdout.write(withheldReply(agent, native, JSON.parse(readFileSync(0, "utf8"))).stdout);
