/** The plugin's part for OpenCode 1.18.33, which runs plugins in Bun. A hook that throws denies: OpenCode shows the model the text. */
export const hooks = String.raw`
return async function hookline({ client, directory }) {
  await probe();
  // Sessions of subagents have their own ids: the session that began them is told by an event.
  const parents = new Map();
  const begun = new Map();
  const agents = new Map();
  const waiting = new Map();
  const denied = new Set();

  const rootOf = (session) => {
    let root = session;
    for (let depth = 0; depth < 20 && parents.has(root); depth++) root = parents.get(root);
    return root;
  };
  const about = (session) => ({
    session_id: rootOf(session),
    cwd: directory,
    ...agents.get(session),
    ...(parents.has(session) && { agent_id: session }),
  });
  const keep = (session, { context }) => {
    if (context !== undefined) waiting.set(session, [...(waiting.get(session) ?? []), context]);
  };
  const begin = (session, source) => {
    if (!begun.has(session)) begun.set(session, tell("session_start", { ...about(session), source }).then((said) => keep(session, said)));
    return begun.get(session);
  };

  function created({ sessionID, info }) {
    if (typeof info?.parentID !== "string") return begin(sessionID, "startup");
    parents.set(sessionID, info.parentID);
    if (typeof info.agent === "string") agents.set(sessionID, { agent_type: info.agent });
    begun.set(sessionID, tell("subagent_start", { ...about(sessionID), description: info.title }));
  }

  // Usage, and calls that failed: the hook after a call is not run for those.
  function part({ part }) {
    if (part?.type === "step-finish")
      tell("step_finish", { ...about(part.sessionID), tokens: part.tokens, cost: part.cost, reason: part.reason });
    if (part?.type === "tool" && part.state?.status === "error" && !denied.delete(part.callID))
      tell("tool_error", {
        ...about(part.sessionID),
        tool_name: part.tool,
        tool_input: part.state.input,
        tool_use_id: part.callID,
        error: part.state.error,
      });
  }

  const heard = {
    "session.created": created,
    "message.part.updated": part,
    "session.idle": ({ sessionID }) => tell(parents.has(sessionID) ? "subagent_idle" : "session_idle", about(sessionID)),
    "session.error": ({ sessionID, error }) => {
      if (typeof sessionID === "string") tell("session_error", { ...about(sessionID), error });
    },
    "session.compacted": ({ sessionID }) => tell("session_compacted", about(sessionID)),
  };

  return {
    // OpenCode leaves out a plugin that it cannot load and goes on. With --strict, its settings therefore allow no provider of models; this allows them.
    async config(config) {
      const { enabled_providers: listed } = config;
      if (!Array.isArray(listed) || !listed.some((name) => String(name).startsWith("hookline:"))) return;
      const names = listed.map((name) => String(name).replace(/^hookline:/, ""));
      if (names.includes("*")) delete config.enabled_providers;
      else config.enabled_providers = names;
    },

    async event({ event }) {
      if (Object.hasOwn(heard, event?.type)) heard[event.type](event.properties);
    },

    async "chat.message"({ sessionID }, output) {
      const { message, parts } = output;
      agents.set(sessionID, { agent_type: message.agent, model: message.model?.modelID });
      // The first message of a subagent comes from the agent that began it.
      if (parents.has(sessionID)) return;
      await begin(sessionID, "resume");
      const texts = parts.filter(({ type, synthetic }) => type === "text" && synthetic !== true);
      const prompt = texts.map(({ text }) => text).join("\n");
      const said = await ask("chat_message", { ...about(sessionID), prompt, message_id: message.id });
      if (said.block !== undefined) throw new Error(said.block);
      const [first, ...rest] = texts;
      if (said.prompt !== undefined && first !== undefined) {
        first.text = said.prompt;
        for (const one of rest) one.text = "";
      } else if (said.prompt !== undefined) throw new Error("Hookline: a rule changed this prompt, which has no text.");
      keep(sessionID, said);
      const context = waiting.get(sessionID) ?? [];
      waiting.delete(sessionID);
      for (const text of context)
        parts.push({
          id: "prt_" + message.id.slice(4) + randomBytes(6).toString("hex"),
          sessionID,
          messageID: message.id,
          type: "text",
          text,
          synthetic: true,
        });
    },

    async "tool.execute.before"({ tool, sessionID, callID }, output) {
      const said = await ask("tool_execute_before", { ...about(sessionID), tool_name: tool, tool_input: output.args, tool_use_id: callID });
      if (said.block !== undefined) {
        denied.add(callID);
        if (said.endLoop === true) await client.session.abort({ path: { id: sessionID } }).catch(() => {});
        throw new Error(said.block);
      }
      if (said.input !== undefined) refill(output.args, said.input);
    },

    async "tool.execute.after"({ tool, sessionID, callID, args }, output) {
      // A tool of an MCP server has content, and the others have text.
      const isText = typeof output.output === "string";
      const said = await ask("tool_execute_after", {
        ...about(sessionID),
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
        tool_response: isText ? output.output : output.content,
      });
      if (said.output !== undefined) {
        if (isText) output.output = said.output;
        else output.content = [{ type: "text", text: said.output }];
        // It may have the old output in it, and files beside it.
        output.metadata = {};
        delete output.attachments;
        delete output.structuredContent;
      }
      if (said.context === undefined) return;
      if (isText) output.output += "\n\n" + said.context;
      else output.content = [...(output.content ?? []), { type: "text", text: said.context }];
    },

    async "experimental.session.compacting"({ sessionID }, output) {
      const { context } = await ask("session_compacting", about(sessionID));
      if (context !== undefined) output.context.push(context);
    },

    async dispose() {
      for (const session of begun.keys()) if (!parents.has(session)) tell("session_end", about(session));
      await told;
    },
  };
};
`;
