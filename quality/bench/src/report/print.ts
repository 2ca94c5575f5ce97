import type { Report, Table } from './report.ts';

export function printReport({ name, title, tables, targets, notes }: Report): void {
  console.log(`\n${name}: ${title}\n`);
  for (const table of tables) console.log(`${plainTable(table)}\n`);
  for (const { wanted, seen, met } of targets) console.log(`  ${met ? 'met    ' : 'NOT MET'}  wanted ${wanted}; seen ${seen}`);
  for (const note of notes) console.log(`  ${note}`);
}

function plainTable({ title, columns, rows }: Table): string {
  const widths = columns.map((column, at) => Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')}`;
  return [...(title === undefined ? [] : [`  ${title}`]), line(columns), ...rows.map(line)].join('\n');
}
