/** The groups of nodes from which every member can be reached from every other: each is a cycle. */
export function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const inCycle = [...graph.keys()].filter((node) => reach.get(node)?.has(node));
  const groups = new Map<string, string[]>();
  for (const node of inCycle) {
    const group = inCycle.filter((other) => reach.get(node)?.has(other) && reach.get(other)?.has(node)).sort();
    groups.set(group.join(" "), group);
  }
  return [...groups.values()];
}

/** Every node that some path of at least one step leads to. */
export function reachableFrom(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const next of graph.get(node) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  return seen;
}
