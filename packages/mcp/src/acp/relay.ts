import type { AgentRef, Bus } from "@hookline/core";
import type { HubConnection } from "@hookline/core/forward";
import type { Channel } from "../protocol/channel.js";
import { errorMessage, fieldsOf, isNotification, isRequest, type Message, type Request, resultMessage } from "../protocol/message.js";
import { askedTool } from "./acp-tool.js";
import { agentMethods, clientMethods } from "./methods.js";
import { CANCELLED, permissionAnswer } from "./permission.js";
import { SessionEvents } from "./session-events.js";

export interface RelayOptions {
  readonly editor: Channel;
  readonly agent: Channel;
  /** The agent's name in the record. */
  readonly name: string;
  readonly bus: Bus;
  readonly line: HubConnection;
  readonly fault: (text: string) => void;
}

/** Between an editor and an ACP agent: everything passes as it is, except permission requests that the hub's rules or people decide. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #events: SessionEvents;
  readonly #about: AgentRef;
  /** Permissions that the hub decides about, with their sessions. */
  readonly #pending = new Map<AbortController, unknown>();
  #end: (why: string) => void = () => {};
  /** Resolves when one side is gone. */
  readonly done = new Promise<string>((resolve) => {
    this.#end = resolve;
  });

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#about = { name: options.name, platform: "acp" };
    this.#events = new SessionEvents(options.bus, this.#about);
  }

  async start(): Promise<void> {
    const { editor, agent, fault } = this.#options;
    await agent.open({
      message: (message) => this.#fromAgent(message),
      fault: ({ what }) => fault(`The agent sent ${what}.`),
      failed: () => {},
      closed: (why) => this.#end(`The agent is gone: ${why}`),
    });
    await editor.open({
      message: (message) => {
        this.#pass(message, { from: editor, to: agent }, () => this.#events.fromEditor(message));
        if (isNotification(message) && message.method === agentMethods.session_cancel) this.#cancel(fieldsOf(message.params).sessionId);
      },
      fault: ({ what }) => {
        fault(`The editor sent ${what}.`);
        void editor.send(errorMessage(null, -32700, `Hookline: this is ${what}.`));
      },
      failed: () => {},
      closed: () => this.#end("The editor is gone."),
    });
  }

  async stop(): Promise<void> {
    await this.#options.agent.close();
    await this.#options.editor.close();
  }

  #fromAgent(message: Message): void {
    const { editor, agent } = this.#options;
    if (isRequest(message) && message.method === clientMethods.session_request_permission) return void this.#permission(message);
    this.#pass(message, { from: agent, to: editor }, () => this.#events.fromAgent(message));
  }

  /** A side that reads slowly makes the other one wait. */
  #pass(message: Message, { from, to }: { readonly from: Channel; readonly to: Channel }, note: () => void): void {
    note();
    let isSent = false;
    const sent = to.send(message).then(() => {
      isSent = true;
    });
    queueMicrotask(() => {
      if (isSent) return;
      from.pause?.();
      void sent.then(() => from.resume?.());
    });
  }

  async #permission(request: Request): Promise<void> {
    const { bus, line, agent, editor } = this.#options;
    const params = fieldsOf(request.params);
    const { sessionId } = params;
    const { tool, isByTitle } = askedTool(this.#events.known(sessionId, fieldsOf(params.toolCall)));
    const cancelled = new AbortController();
    this.#pending.set(cancelled, sessionId);
    const decision =
      line.state === "off"
        ? ({ verdict: "deny", modified: false } as const)
        : await bus.decide(
            "tool:before",
            { agent: this.#about, ...(typeof sessionId === "string" && { session: { id: sessionId } }), tool },
            { signal: cancelled.signal },
          );
    this.#pending.delete(cancelled);
    const answer = cancelled.signal.aborted ? CANCELLED : permissionAnswer(params.options, decision, isByTitle);
    await (answer === undefined ? editor.send(request) : agent.send(resultMessage(request.id, answer)));
  }

  /** The editor has never seen these questions, and the agent waits for their answers. They cannot be allowed later.*/
  #cancel(sessionId: unknown): void {
    for (const [pending, of] of this.#pending) if (of === sessionId) pending.abort(new Error("The editor has cancelled the turn."));
  }
}
