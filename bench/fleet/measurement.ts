/** A line of the result: what, measured, wanted. */
export type Row = readonly [what: string, measured: string, wanted: string];

interface MeasurementOptions {
  /** The path of nats-server. */
  readonly program: string;
  readonly events: number;
  readonly hosts: number;
  readonly rounds: number;
}

export type Measurement = (options: MeasurementOptions) => Promise<readonly Row[]>;
