/** Draws the flowcharts of the pages, which are written for Mermaid as code hosts show it, as SVG. Left to right, in layers. */
import type { MarkdownRenderer } from 'vitepress';

interface Node {
  readonly id: string;
  readonly lines: readonly string[];
  readonly shape: 'box' | 'choice' | 'store';
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Chart {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
}

interface Place extends Node {
  readonly layer: number;
  readonly width: number;
  readonly height: number;
  /** Of the middle. */
  readonly x: number;
  readonly y: number;
}

const font = { size: 14, width: 7.6, line: 19 } as const;
const gap = { x: 46, y: 22, margin: 12 } as const;

export function readChart(text: string): Chart {
  const nodes = new Map<string, Node>();
  const edges: Edge[] = [];
  const [head = '', ...lines] = text.trim().split('\n');
  if (head.trim() !== 'flowchart LR') throw new Error(`Only 'flowchart LR' can be drawn, not '${head}'.`);
  for (const line of lines) {
    const parts = line.trim().split(/ --> | -- (.+?) --> /u);
    let from: string | undefined;
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 1) continue;
      const node = readNode(part ?? '');
      if (!nodes.has(node.id) || node.lines[0] !== node.id) nodes.set(node.id, node);
      if (from !== undefined) edges.push({ from, to: node.id, label: parts[index - 1] ?? '' });
      from = node.id;
    }
  }
  return { nodes, edges };
}

function readNode(text: string): Node {
  const [, id = '', open = '', label = ''] = /^(\w+)(?:(\[\(|\{\{|\[|\{)(.+?)(?:\)\]|\}\}|\]|\}))?$/u.exec(text.trim()) ?? [];
  if (id === '') throw new Error(`A flowchart cannot be read: '${text}'.`);
  const shape = open === '[(' ? 'store' : open === '{' ? 'choice' : 'box';
  return { id, lines: (label === '' ? id : label).split('<br>'), shape };
}

/** The edges that lead back to an earlier node, found depth first. */
function backEdges({ nodes, edges }: Chart): ReadonlySet<Edge> {
  const back = new Set<Edge>();
  const state = new Map<string, 'open' | 'done'>();
  const visit = (id: string): void => {
    state.set(id, 'open');
    for (const edge of edges.filter(({ from }) => from === id)) {
      if (state.get(edge.to) === 'open') back.add(edge);
      else if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, 'done');
  };
  for (const id of nodes.keys()) if (!state.has(id)) visit(id);
  return back;
}

/** A node stands right of everything that leads to it. */
function layersOf(chart: Chart, back: ReadonlySet<Edge>): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  const layerOf = (id: string): number => {
    const known = layers.get(id);
    if (known !== undefined) return known;
    const before = chart.edges.filter((edge) => edge.to === id && !back.has(edge)).map(({ from }) => layerOf(from) + 1);
    const layer = Math.max(0, ...before);
    layers.set(id, layer);
    return layer;
  };
  for (const id of chart.nodes.keys()) layerOf(id);
  return layers;
}

function placesOf(chart: Chart, back: ReadonlySet<Edge>): ReadonlyMap<string, Place> {
  const layers = layersOf(chart, back);
  const places = new Map<string, Place>();
  let left = gap.margin;
  for (let layer = 0; layer <= Math.max(...layers.values()); layer += 1) {
    const nodes = [...chart.nodes.values()].filter(({ id }) => layers.get(id) === layer);
    const sizes = nodes.map((node) => ({ ...node, layer, ...sizeOf(node) }));
    const width = Math.max(...sizes.map((size) => size.width));
    const total = sizes.reduce((sum, { height }) => sum + height + gap.y, -gap.y);
    let top = -total / 2;
    for (const size of sizes) {
      places.set(size.id, { ...size, x: left + width / 2, y: top + size.height / 2 });
      top += size.height + gap.y;
    }
    const labels = chart.edges
      .filter(({ from, to }) => layers.get(from) === layer && layers.get(to) === layer + 1)
      .map(({ label }) => label.length);
    left += width + gap.x + Math.max(0, ...labels) * font.width;
  }
  return places;
}

const sizeOf = ({ lines, shape }: Node): { readonly width: number; readonly height: number } => ({
  width: Math.max(...lines.map((line) => line.length)) * font.width + (shape === 'choice' ? 44 : 26),
  height: lines.length * font.line + (shape === 'choice' ? 26 : 18),
});

export function drawChart(chart: Chart): string {
  const back = backEdges(chart);
  const places = placesOf(chart, back);
  const all = [...places.values()];
  const reach = (layer: number): number => 26 * Math.max(1, layer);
  const arcs = chart.edges
    .map(({ from, to }) => (places.get(to)?.layer ?? 0) - (places.get(from)?.layer ?? 0))
    .filter((span) => span !== 1);
  const top = Math.min(...all.map(({ y, height }) => y - height / 2)) - reach(Math.max(0, ...arcs)) - gap.margin;
  const bottom = Math.max(...all.map(({ y, height }) => y + height / 2)) + reach(Math.max(0, ...arcs.map((span) => -span))) + gap.margin;
  const width = Math.ceil(Math.max(...all.map((place) => place.x + place.width / 2)) + gap.margin);
  const height = Math.ceil(bottom - top);
  return [
    `<svg class="flowchart" viewBox="0 ${top} ${width} ${height}" width="${width}" height="${height}" role="img" font-size="${font.size}">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>',
    ...chart.edges.map((edge) => drawEdge(edge, places)),
    ...all.map(drawNode),
    '</svg>',
  ].join('');
}

function drawEdge({ from, to, label }: Edge, places: ReadonlyMap<string, Place>): string {
  const [one, other] = [places.get(from), places.get(to)];
  if (!one || !other) return '';
  const span = other.layer - one.layer;
  const side = span > 1 ? -1 : 1;
  const start = span === 1 ? { x: one.x + one.width / 2, y: one.y } : { x: one.x, y: one.y + (side * one.height) / 2 };
  const end = span === 1 ? { x: other.x - other.width / 2, y: other.y } : { x: other.x, y: other.y + (side * other.height) / 2 };
  const bend = side * (30 + 26 * Math.abs(span));
  const middle = (start.x + end.x) / 2;
  const curve =
    span === 1
      ? `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`
      : `M${start.x} ${start.y}C${start.x} ${start.y + bend} ${end.x} ${end.y + bend} ${end.x} ${end.y}`;
  const y = span === 1 ? (start.y + end.y) / 2 - 5 : (start.y + end.y) / 2 + bend * 0.75 - 5;
  return `<path d="${curve}" fill="none" stroke="currentColor" marker-end="url(#arrow)"/>${label === '' ? '' : `<text class="label" x="${middle}" y="${y}" text-anchor="middle">${escaped(label)}</text>`}`;
}

function drawNode({ x, y, width, height, lines, shape }: Place): string {
  const [left, top] = [x - width / 2, y - height / 2];
  const outline =
    shape === 'choice'
      ? `<path d="M${left} ${y}L${left + 16} ${top}H${left + width - 16}L${left + width} ${y}L${left + width - 16} ${top + height}H${left + 16}z"/>`
      : `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="${shape === 'store' ? height / 2 : 6}"/>`;
  const first = y - ((lines.length - 1) * font.line) / 2 + 5;
  const texts = lines.map((line, index) => `<text x="${x}" y="${first + index * font.line}" text-anchor="middle">${escaped(line)}</text>`);
  return `<g class="node">${outline}${texts.join('')}</g>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;');

/** A plugin of the Markdown renderer: fences of Mermaid become pictures. */
export function flowcharts(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...others) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return `<div class="chart">${drawChart(readChart(token.content))}</div>\n`;
    return fence ? fence(tokens, index, ...others) : '';
  };
}
