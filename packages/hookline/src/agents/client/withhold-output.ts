import { readFileSync } from "node:fs";
import { argv, exit, stdout } from "node:process";
import { dialects } from "../agents.js";
import { withheldReply } from "./denials.js";

// For agents that take another output only in the shape of the tool's: the script has asked the hub in vain, and gives the call on stdin.
const [, , agent = "", native = ""] = argv;
const dialect = dialects.find(({ id }) => id === agent);
if (dialect === undefined) exit(1);
stdout.write(withheldReply(dialect, native, JSON.parse(readFileSync(0, "utf8"))).stdout);
