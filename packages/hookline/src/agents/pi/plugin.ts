/** The extension's part for pi 0.74.2, which runs it in Node. pi blocks a call whose handler throws. */
export const hooks = String.raw`
return async function hookline(pi) {
  await probe();
  let waiting = [];
  const keep = ({ context }) => {
    if (context !== undefined) waiting.push(context);
  };
  const about = (ctx) => ({ session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, model: ctx.model?.id });
  const call = ({ toolName, input, toolCallId }, ctx) => ({ ...about(ctx), tool_name: toolName, tool_input: input, tool_use_id: toolCallId });

  pi.on("session_start", async ({ reason }, ctx) => keep(await tell("session_start", { ...about(ctx), source: reason })));

  pi.on("input", async ({ text, images, source }, ctx) => {
    const said = await ask("input", { ...about(ctx), prompt: text, source });
    if (said.block !== undefined) {
      if (ctx.hasUI) ctx.ui.notify(said.block, "error");
      else process.stderr.write(said.block + "\n");
      return { action: "handled" };
    }
    keep(said);
    return said.prompt === undefined ? { action: "continue" } : { action: "transform", text: said.prompt, images };
  });

  pi.on("before_agent_start", () => {
    if (waiting.length === 0) return;
    const content = waiting.join("\n\n");
    waiting = [];
    return { message: { customType: "hookline", content, display: false } };
  });

  pi.on("tool_call", async (event, ctx) => {
    const said = await ask("tool_call", call(event, ctx));
    if (said.block !== undefined) {
      if (said.endLoop === true) ctx.abort();
      return { block: true, reason: said.block };
    }
    if (said.input !== undefined) refill(event.input, said.input);
  });

  pi.on("tool_result", async (event, ctx) => {
    const said = await ask("tool_result", { ...call(event, ctx), tool_response: event.content, is_error: event.isError });
    const content = said.output === undefined ? event.content : [{ type: "text", text: said.output }];
    const more = said.context === undefined ? [] : [{ type: "text", text: said.context }];
    // The details may have the old output in them.
    if (said.output !== undefined) return { content: [...content, ...more], details: {} };
    if (more.length > 0) return { content: [...content, ...more] };
  });

  pi.on("message_end", ({ message }, ctx) => {
    if (message.role === "assistant") void tell("message_end", { ...about(ctx), usage: message.usage, stop_reason: message.stopReason });
  });

  pi.on("agent_end", async (_, ctx) => void (await tell("agent_end", about(ctx))));

  pi.on("session_before_compact", async (_, ctx) => {
    const { block } = await ask("session_before_compact", about(ctx));
    if (block !== undefined) return { cancel: true };
  });

  pi.on("session_compact", (_, ctx) => void tell("session_compact", about(ctx)));

  pi.on("session_shutdown", async ({ reason }, ctx) => void (await tell("session_shutdown", { ...about(ctx), reason })));
};
`;
