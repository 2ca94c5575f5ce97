/** Owns the format of generated pages: tables, code, and when two pages count as equal. */

export type Row = readonly string[];

export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Without the changes that a formatter makes: widths of table columns, and blank lines. */
export function normalize(page: string): string {
  return page
    .split('\n')
    .map((line) => (line.startsWith('|') ? line.replaceAll(/ *(?<!\\)\| */g, '|').replaceAll(/-{3,}/g, '---') : line.trimEnd()))
    .filter((line) => line !== '')
    .join('\n');
}
