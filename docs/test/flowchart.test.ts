/** The flowcharts of the pages can be drawn: each node once, each edge between its nodes. */
import { expect, test } from 'vitest';
import { drawChart, readChart } from '../site/flowchart.ts';
import { allPages, fencesOf } from './pages.ts';

const charts = allPages.flatMap(fencesOf).filter(({ info }) => info === 'mermaid');

test('chains, labels and shapes are read', () => {
  const { nodes, edges } = readChart('flowchart LR\n  a[first<br>step] --> b{choice?} -- yes, or no --> c[(store)]\n  c --> b\n');
  expect([...nodes.values()]).toEqual([
    { id: 'a', lines: ['first', 'step'], shape: 'box' },
    { id: 'b', lines: ['choice?'], shape: 'choice' },
    { id: 'c', lines: ['store'], shape: 'store' },
  ]);
  expect(edges).toEqual([
    { from: 'a', to: 'b', label: '' },
    { from: 'b', to: 'c', label: 'yes, or no' },
    { from: 'c', to: 'b', label: '' },
  ]);
});

test.each(charts.map((chart) => [chart.page, chart] as const))('%s has a picture', (_page, { text }) => {
  const chart = readChart(text);
  const picture = drawChart(chart);
  expect(picture.match(/<g class="node">/gu)).toHaveLength(chart.nodes.size);
  expect(picture.match(/marker-end/gu)).toHaveLength(chart.edges.length);
  for (const { label } of chart.edges) expect(picture).toContain(label);
  expect(picture).not.toContain('NaN');
});

test('what cannot be drawn is refused', () => {
  expect(() => readChart('sequenceDiagram\n a->>b: hi')).toThrow("Only 'flowchart LR' can be drawn, not 'sequenceDiagram'.");
  expect(() => readChart('flowchart LR\n  a[open --> b')).toThrow('A flowchart cannot be read');
});
