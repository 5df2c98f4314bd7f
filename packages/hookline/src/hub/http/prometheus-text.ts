export type Labels = { readonly [name: string]: string };
export type Sample = readonly [value: number, labels?: Labels];

/** A metric in Prometheus's text format. */
export function family(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): string {
  return [...headOf(name, type, help), ...samples.map(([value, labels]) => lineOf(name, value, labels))].join("\n");
}

/** What one series of a histogram has counted. */
export interface Buckets {
  readonly labels: Labels;
  /** By upper bound: how many values do not exceed it. */
  readonly upTo: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

export function histogramFamily(name: string, help: string, series: readonly Buckets[]): string {
  const lines = series.flatMap(({ labels, upTo, count, sum }) => [
    ...upTo.map(([bound, value]) => lineOf(`${name}_bucket`, value, { ...labels, le: String(bound) })),
    lineOf(`${name}_bucket`, count, { ...labels, le: "+Inf" }),
    lineOf(`${name}_sum`, sum, labels),
    lineOf(`${name}_count`, count, labels),
  ]);
  return [...headOf(name, "histogram", help), ...lines].join("\n");
}

/** A sample for each key. */
export function byKey(label: string, counts: { readonly [key: string]: number }): Sample[] {
  return Object.entries(counts).map(([key, value]) => [value, { [label]: key }]);
}

function headOf(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function lineOf(name: string, value: number, labels: Labels | undefined): string {
  return `${name}${labelText(labels)} ${value}`;
}

function labelText(labels: Labels | undefined): string {
  if (labels === undefined) return "";
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
