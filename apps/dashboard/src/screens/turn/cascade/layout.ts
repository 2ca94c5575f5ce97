/**
 * Layout of a layered graph. The layer of a node is the longest path to it, edges across several layers go through placeholders in between,
 * and a few sweeps move each node near the average of its neighbours, so that few edges cross. For up to a few hundred nodes.
 */

export interface Place {
  readonly layer: number;
  readonly row: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  /** The places that each edge goes through, including both ends. In the order of the edges. */
  readonly routes: readonly (readonly Place[])[];
  readonly layers: number;
  readonly rows: number;
}

const sweeps = 6;

export function computeLayout(nodes: readonly string[], edges: readonly Edge[]): Layout {
  const layerOf = longestPaths(nodes, edges);
  const layers: string[][] = [];
  const addToLayer = (key: string, layer: number): void => void (layers[layer] ??= []).push(key);
  for (const node of nodes) addToLayer(node, layerOf.get(node) ?? 0);
  const links: Edge[] = [];
  const chains = edges.map(({ from, to }, index) => {
    const chain = [from];
    for (let layer = (layerOf.get(from) ?? 0) + 1; layer < (layerOf.get(to) ?? 0); layer += 1) {
      const placeholder = `\u0000${index}:${layer}`;
      addToLayer(placeholder, layer);
      layerOf.set(placeholder, layer);
      chain.push(placeholder);
    }
    chain.push(to);
    for (let at = 1; at < chain.length; at += 1) links.push({ from: chain[at - 1] ?? from, to: chain[at] ?? to });
    return chain;
  });
  arrange(layers, links);
  const rows = Math.max(1, ...layers.map((layer) => layer.length));
  const places = new Map<string, Place>();
  layers.forEach((layer, at) => layer.forEach((key, row) => places.set(key, { layer: at, row: row + (rows - layer.length) / 2 })));
  const placeOf = (key: string): Place => places.get(key) ?? { layer: 0, row: 0 };
  return { places, routes: chains.map((chain) => chain.map(placeOf)), layers: layers.length, rows };
}

/** A plan has no cycles, but a damaged trace may. Back edges are ignored. */
function longestPaths(nodes: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const before = new Map<string, string[]>();
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from]);
  const found = new Map<string, number>();
  const visiting = new Set<string>();
  const visit = (node: string): number => {
    const known = found.get(node);
    if (known !== undefined) return known;
    if (visiting.has(node)) return -1;
    visiting.add(node);
    const layer = Math.max(-1, ...(before.get(node) ?? []).map(visit)) + 1;
    visiting.delete(node);
    found.set(node, layer);
    return layer;
  };
  for (const node of nodes) visit(node);
  return found;
}

function arrange(layers: string[][], links: readonly Edge[]): void {
  const left = new Map<string, string[]>();
  const right = new Map<string, string[]>();
  for (const { from, to } of links) {
    left.set(to, [...(left.get(to) ?? []), from]);
    right.set(from, [...(right.get(from) ?? []), to]);
  }
  const row = new Map<string, number>();
  const assignRows = (layer: readonly string[]): void => layer.forEach((key, at) => row.set(key, at - layer.length / 2));
  layers.forEach(assignRows);
  const sortBy = (layer: string[], neighbours: ReadonlyMap<string, readonly string[]>): void => {
    const middle = (key: string): number => {
      const near = neighbours.get(key) ?? [];
      return near.length === 0 ? (row.get(key) ?? 0) : near.reduce((sum, each) => sum + (row.get(each) ?? 0), 0) / near.length;
    };
    const keyed = layer.map((key, at) => ({ key, at, by: middle(key) })).toSorted((a, b) => a.by - b.by || a.at - b.at);
    layer.splice(0, layer.length, ...keyed.map(({ key }) => key));
    assignRows(layer);
  };
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    if (sweep % 2 === 0) for (const layer of layers.slice(1)) sortBy(layer, left);
    else for (const layer of layers.slice(0, -1).toReversed()) sortBy(layer, right);
  }
}
