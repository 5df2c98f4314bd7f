// The least a process can do: every line comes back.
process.stdin.on("data", (chunk) => process.stdout.write(chunk));
process.stdin.on("end", () => process.exit(0));
