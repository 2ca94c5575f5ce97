/** Owns the chart of one run over time: success and requests per second, one line per contender, with the faults in the background. */
import type { FaultWindow, RunMetrics } from '../metrics/metrics.ts';

const width = 860;
const panelHeight = 150;
const left = 52;
const right = 130;
const top = 26;
const gap = 40;
const binS = 3;
const colours: readonly string[] = ['#0b6e4f', '#c8553d', '#3d5a98', '#8d6a9f', '#7a7a7a', '#c99700'];

interface Panel {
  readonly title: string;
  readonly top: number;
  readonly most: number;
  readonly label: (value: number) => string;
  readonly of: (run: RunMetrics) => readonly (number | null)[];
}

/** An SVG of runs of one world with one seed. */
export function chart(runs: readonly RunMetrics[]): string {
  const [first] = runs;
  if (!first) throw new RangeError('A chart needs at least one run.');
  const seconds = first.series.begun.length;
  const mostRequests = Math.max(10, ...runs.flatMap(({ series }) => binned(series.requests).map((value) => value ?? 0)));
  const panels: readonly Panel[] = [
    {
      title: 'success of turns begun then, %',
      top,
      most: 1,
      label: (value) => String(Math.round(value * 100)),
      of: ({ series }) => binned(series.success),
    },
    {
      title: 'requests per second',
      top: top + panelHeight + gap,
      most: mostRequests,
      label: (value) => String(Math.round(value)),
      of: ({ series }) => binned(series.requests),
    },
  ];
  const height = top + 2 * panelHeight + gap + 30;
  const x = (second: number): number => left + ((width - left - right) * second) / seconds;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${escapeXml(`${first.world}, seed ${first.seed}`)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...panels.flatMap((panel) => [...frame(panel, first.faults, x), ...runs.map((run, at) => line(panel, panel.of(run), colourOf(at), x))]),
    ...runs.map(({ contender }, at) => legend(contender, at)),
    ...ticks(seconds, x, height),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function frame({ title, top: y, most, label }: Panel, faults: readonly FaultWindow[], x: (second: number) => number): string[] {
  const end = width - right;
  const shades = faults.map(({ fromMs, untilMs }) => {
    const from = Math.min(x(fromMs / 1000), end);
    return `<rect x="${place(from)}" y="${y}" width="${place(Math.min(x(untilMs / 1000), end) - from)}" height="${panelHeight}" fill="#f3e3df"/>`;
  });
  const lines = [0, 0.5, 1].map((share) => {
    const at = y + panelHeight * (1 - share);
    return `<path d="M${left} ${place(at)}H${end}" stroke="#ddd"/><text x="${left - 6}" y="${place(at + 4)}" text-anchor="end" fill="#555">${label(share * most)}</text>`;
  });
  return [...shades, ...lines, `<text x="${left}" y="${y - 8}" fill="#333">${title}</text>`];
}

function line({ top: y, most }: Panel, values: readonly (number | null)[], colour: string, x: (second: number) => number): string {
  let path = '';
  let pen = 'M';
  for (const [index, value] of values.entries()) {
    if (value === null) pen = 'M';
    else {
      path += `${pen}${place(x((index + 0.5) * binS))} ${place(y + panelHeight * (1 - value / most))}`;
      pen = 'L';
    }
  }
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"/>`;
}

function legend(contender: string, at: number): string {
  const y = top + 10 + at * 18;
  const from = width - right + 12;
  return `<path d="M${from} ${y}h18" stroke="${colourOf(at)}" stroke-width="2.5"/><text x="${from + 24}" y="${y + 4}" fill="#333">${escapeXml(contender)}</text>`;
}

function ticks(seconds: number, x: (second: number) => number, height: number): string[] {
  const step = seconds > 1200 ? 600 : 60;
  const all = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
  return all.map((second) => `<text x="${place(x(second))}" y="${height - 10}" text-anchor="middle" fill="#555">${second} s</text>`);
}

/** Means over a few seconds each. */
function binned(values: readonly (number | null)[]): readonly (number | null)[] {
  const bins: (number | null)[] = [];
  for (let from = 0; from < values.length; from += binS) {
    const known = values.slice(from, from + binS).filter((value) => value !== null);
    bins.push(known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null);
  }
  return bins;
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? '#000';
}

function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
