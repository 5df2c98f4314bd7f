import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { countText, inertText } from "@hookline/core/internal/text";
import { decodeEnvelope } from "@hookline/core/sinks";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandModule, FleetTools, Terminal } from "hookline/internal/fleet";
import { type AdminChoice, readPerson } from "../credentials/joined.js";
import { fetchRoster } from "../credentials/published-roster.js";
import { askHost } from "../nats/ask-host.js";
import { checkName, subjects } from "../nats/subjects.js";
import { adminOptions, withConnection } from "./context.js";

interface TailOptions extends AdminChoice {
  readonly json?: boolean;
  /** Seconds. */
  readonly for?: string;
}

/** The host sends for half a minute after each request. */
const RENEW_MS = 10_000;
const REQUEST_MS = 5000;
/** What the NATS client says about a subject without subscribers. */
const NO_RESPONDERS = /no responders/i;

export function tailCommand(tools: FleetTools): CommandModule<TailOptions> {
  const { option, examples, EXIT } = tools;
  return {
    define(command) {
      adminOptions(command.argument("<host>", "the name of the host", option.text), tools)
        .option("--json", "print one envelope per line")
        .option("--for <seconds>", "end after this time (default: Ctrl-C)", option.text)
        .addHelpText("after", "\nThe host itself sends its events as it stores them. What the fleet has stored: hookline tail --fleet")
        .addHelpText("after", examples("hookline fleet tail laptop-anna", "hookline fleet tail build-1 --json --for 60"));
    },

    async run(terminal, { json = false, for: seconds, ...choice }, [name = ""]) {
      const person = readPerson(terminal.env, choice);
      if (person === undefined)
        throw new HookError("HL_FLEET_CREDENTIALS", "A live tail needs the credential of a person of the fleet.", {
          fix: "Ask the fleet's admin: hookline fleet people add <you> --role view",
        });
      const host = checkName("host", name);
      const stop = new AbortController();
      if (seconds !== undefined) setTimeout(() => stop.abort(), readSeconds(seconds) * 1000).unref();
      const write = (event: Parameters<typeof tools.format.eventLine>[0]): void =>
        terminal.print(tools.format.eventLine(event, json ? "json" : "human", terminal));
      await withConnection(person, async (connection) => {
        const roster = await fetchRoster(connection, person);
        if (roster !== undefined && !roster.hosts.some((one) => one.name === host))
          throw new HookError("HL_FLEET_NAME", `The fleet has no host "${host}".`, { fix: { run: "hookline fleet hosts" } });
        await follow(connection, { host, terminal, write, signal: stop.signal });
      });
      return EXIT.ok;
    },
  };
}

interface Following {
  readonly host: string;
  readonly terminal: Terminal;
  readonly write: (event: ReturnType<typeof decodeEnvelope> & { readonly place: number; readonly host: string }) => void;
  readonly signal: AbortSignal;
}

async function follow(connection: NatsConnection, { host, terminal, write, signal }: Following): Promise<void> {
  const id = randomBytes(12).toString("hex");
  let dropped = 0;
  const say = (text: string): void => terminal.say(terminal.paintTalk("dim", text));
  const subscription = connection.subscribe(subjects.live(host, id), {
    callback(_, { data }) {
      const message = readLive(data);
      if (message === undefined) return;
      if (message.dropped > dropped) say(`${countText(message.dropped - dropped, "event")} came too fast to be sent.`);
      dropped = message.dropped;
      if (message.envelope === undefined) say("An event is too large for a live tail.");
      else write({ ...message.envelope, place: 0, host });
    },
  });
  for (let wasThere: boolean | undefined; !signal.aborted; ) {
    const fault = await open(connection, host, id);
    if (fault === undefined && wasThere !== true) say(`Events of ${host} as they happen; press Ctrl-C to stop.`);
    else if (fault !== undefined && wasThere !== false)
      say(`${host} does not answer (${inertText(fault)}). To see which hosts do: hookline fleet status`);
    wasThere = fault === undefined;
    await sleep(RENEW_MS, undefined, { signal }).catch(() => {});
  }
  subscription.unsubscribe();
}

/** Asks the host to send, or to go on sending. A sentence says why it does not. */
async function open(connection: NatsConnection, host: string, id: string): Promise<string | undefined> {
  try {
    const answer = await askHost(connection, { host, verb: "live", timeoutMs: REQUEST_MS }, { id });
    const { ok, error } = answer.json<{ readonly ok?: { readonly error?: string }; readonly error?: string }>();
    return error ?? ok?.error;
  } catch (error) {
    return NO_RESPONDERS.test(errorText(error)) ? "its hub is not connected" : errorText(error);
  }
}

/** A host may send anything: what is not an event is left out. */
function readLive(data: Uint8Array): { readonly envelope?: ReturnType<typeof decodeEnvelope>; readonly dropped: number } | undefined {
  try {
    const { event, dropped } = JSON.parse(new TextDecoder().decode(data)) as { readonly event?: unknown; readonly dropped?: unknown };
    const count = typeof dropped === "number" ? dropped : 0;
    return event === undefined ? { dropped: count } : { envelope: decodeEnvelope(JSON.stringify(event)), dropped: count };
  } catch {
    return undefined;
  }
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new HookError("HL_FLEET_NAME", `"${text.slice(0, 80)}" is not a number of seconds.`, { fix: "Write --for 60." });
}
