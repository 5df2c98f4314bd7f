import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";

/** An optional peer dependency of `hookline`. Node remembers that it was missing until the process ends. */
const PACKAGE = "hyparquet-writer";
const INSTALL = `Install it beside Hookline: \`npm install ${PACKAGE}@0.17\`, with \`--global\` if Hookline is installed globally. Then restart this process.`;

interface Column {
  readonly name: string;
  readonly type: "STRING" | "TIMESTAMP";
  readonly nullable: boolean;
  readonly data: readonly unknown[];
}
interface ParquetWriter {
  parquetWriteBuffer(options: { readonly columnData: readonly Column[] }): ArrayBuffer;
}

/** What tables are filtered by. The last column is the whole event, as a line of JSONL has it. */
const COLUMNS: { readonly [name: string]: (event: Envelope) => unknown } = {
  id: ({ id }) => id,
  event: ({ event }) => event,
  app: ({ source }) => source.app,
  host: ({ source }) => source.host,
  session: ({ session }) => session?.id,
  parent_session: ({ session }) => session?.parentId,
  tool: ({ payload }) => textOf(Object(Object(payload).tool).name),
  verdict: ({ decision }) => decision?.verdict,
  reason: ({ decision }) => decision?.reason,
  json: encodeEnvelope,
};

/** Events as a table, one row each. Rejects with `HL_SINK_IO` if the package that writes it is missing. */
export async function parquetOf(events: readonly Envelope[], load = (name: string): Promise<unknown> => import(name)): Promise<Buffer> {
  const { parquetWriteBuffer } = (await load(PACKAGE).catch((cause: unknown) => {
    throw new HookError("HL_SINK_IO", `An archive with format "parquet" needs the package ${PACKAGE}, which cannot be loaded.`, {
      cause,
      fix: INSTALL,
    });
  })) as ParquetWriter;
  const columnData: Column[] = Object.entries(COLUMNS).map(([name, read]) => ({
    name,
    type: "STRING",
    nullable: true,
    data: events.map((event) => read(event) ?? null),
  }));
  return Buffer.from(parquetWriteBuffer({ columnData: [timesOf(events), ...columnData] }));
}

/** A time that cannot be read is null; `json` has it as it came. */
function timesOf(events: readonly Envelope[]): Column {
  const data = events.map(({ at }) => new Date(at)).map((time) => (Number.isNaN(time.getTime()) ? null : time));
  return { name: "at", type: "TIMESTAMP", nullable: true, data };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
