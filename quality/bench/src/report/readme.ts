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

A tool takes milliseconds to minutes; what stands around it takes microseconds. These figures are not a reason to choose a library.
They show what the trace, the classification and the results that Holdfast makes of every call cost beside others' wrapping.
Ratios hold from machine to machine, times do not.

What the gateway costs beside other gateways has [a page of its own](./GATEWAY.md), and so have [what telemetry costs](./TELEMETRY.md),
[what a turn costs that survives its worker](./DURABLE.md) and [a trace in PostgreSQL](./POSTGRES.md).`;

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

/** Figures are right-aligned, words are not. */
function markdownTable({ columns, rows }: Omit<Table, 'title'>, figures = true): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, at) => (figures && at > 0 ? '---:' : '---'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}

const method = `## Method

- Holdfast runs in its built form, as it is installed, with its defaults. Everything is on: retry, circuit breaker, timeout, classification, trace, metrics.
- Every case has a process of its own; one that has a ratio to hold runs in three, and the one whose first ratio is in the middle is shown. In it the contenders take turns: a round times each of them once, the next round begins with another.
- [mitata](https://github.com/evanwashere/mitata) times the samples. A sample is a loop of about 10 ms of awaited calls, compiled for its contender alone;
  after every 64 calls the event loop turns, so that what a library puts off is paid for. No collection is forced between
  samples: V8 throws compiled code away with the rubbish, which makes what follows slower for everyone.
- A round's figure is the median of its samples. The tables show median and quartiles of the rounds; a ratio is the median of the ratios round by round.
- Every contender has a time limit of 30 s where it can have one. The work is the same function for all of them.

\`npm run bench -- success --quick\` runs one case on the sources in a few seconds and writes nothing. \`--only opossum\` leaves others out,
\`--profile\` prints where Holdfast's time goes, \`--allocations\` what it allocates per call.`;
