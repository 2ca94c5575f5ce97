/** Owns the page about a full run. */
import { contenders } from '../contenders/index.ts';
import type { Machine } from './machine.ts';
import type { Report, Table } from './report.ts';

export function readme(reports: readonly Report[], run: Machine & { readonly date: string }): string {
  const parts = [
    '# Benchmarks',
    introduction(run),
    '## Targets',
    targets(reports),
    '## Contenders',
    markdownTable({ columns: ['', 'configuration'], rows: contenders.map(({ name, configuration }) => [name, configuration]) }, false),
    ...reports.map(section),
    method,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The page of one case. */
export function pageOf(report: Report, { node, processor, cores, memoryGb, system, date }: Machine & { readonly date: string }): string {
  const parts = [
    `# ${report.title}`,
    `Written by \`npm run bench -- ${report.name}\` on ${date}: Node ${node}, ${processor}, ${cores} cores, ${memoryGb} GB, ${system}.`,
    '## Targets',
    targets([report]),
    ratiosNote,
    ...section(report).split('\n\n').slice(1),
  ];
  return `${parts.join('\n\n')}\n`;
}

const ratiosNote =
  'A ratio is the median of the ratios round by round. The tables show the median of each row by itself, so dividing two of them can give another figure.';

const introduction = ({ node, processor, cores, memoryGb, system, date }: Machine & { readonly date: string }): string =>
  `Written by \`npm run bench\` on ${date}: Node ${node}, ${processor}, ${cores} cores, ${memoryGb} GB, ${system}.

A tool takes milliseconds to minutes; the wrapping takes microseconds. These figures are not a reason to choose a library.
They show the cost of Holdfast's trace, classification and results per call, compared with the wrapping of other libraries.
Ratios are comparable between machines, times are not.

Separate pages cover [the gateway compared with other gateways](./GATEWAY.md), [the cost of telemetry](./TELEMETRY.md),
[the cost of a durable turn](./DURABLE.md), [the trace in PostgreSQL](./POSTGRES.md) and [the start on a full store](./START.md).`;

function targets(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ title, targets: list }) =>
    list.map(({ wanted, seen, met }) => [title, wanted, seen, met ? 'met' : '**not met**']),
  );
  return markdownTable({ columns: ['', 'wanted', 'seen', ''], rows }, false);
}

function section({ title, what, tables, notes }: Report): string {
  return [
    `## ${title}`,
    what,
    ...tables.flatMap((table) => [...(table.title === undefined ? [] : [`**${table.title}**`]), markdownTable(table)]),
    ...notes,
  ].join('\n\n');
}

/** Figures are right-aligned, text is not. */
function markdownTable({ columns, rows }: Omit<Table, 'title'>, figures = true): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, at) => (figures && at > 0 ? '---:' : '---'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}

const method = `## Method

- Holdfast runs in its built form, as installed, with its defaults. Everything is on: retry, circuit breaker, timeout, classification, trace, metrics.
- Every case runs in a separate process; a case with a target ratio runs in three, and the one with the median first ratio is shown. Within a process the contenders take turns: a round times each of them once, the next round begins with another.
- [mitata](https://github.com/evanwashere/mitata) times the samples. A sample is a loop of about 10 ms of awaited calls, compiled separately for its contender;
  after every 64 calls the event loop turns, so that deferred work is included. No garbage collection is forced between
  samples: V8 would also discard compiled code, which slows down all contenders.
- A round's figure is the median of its samples. The tables show median and quartiles of the rounds; a ratio is the median of the ratios round by round.
- Every contender has a time limit of 30 s, if it supports one. The work is the same function for all of them.

\`npm run bench -- success --quick\` runs one case on the sources in a few seconds and writes nothing. \`--only opossum\` leaves others out,
\`--profile\` prints where Holdfast's time goes, \`--allocations\` what it allocates per call.`;
