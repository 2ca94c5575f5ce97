/**
 * Owns the unified diff of two texts, with three lines of context.
 *
 * 1. `git apply` and `patch` accept it and produce the second text byte by byte.
 */

const context = 3;

interface Line {
  readonly sign: ' ' | '-' | '+';
  /** A line with its line break, which the last one may lack. */
  readonly text: string;
}

/** `''` if they are equal. */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return '';
  const lines = diffLines(linesOf(before), linesOf(after));
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    if (last && index - last.to <= 2 * context) last.to = index;
    else hunks.push({ from: index, to: index });
  }
  const printed = hunks.map(({ from, to }) => hunk(lines, Math.max(0, from - context), Math.min(lines.length, to + context + 1)));
  // A name with a space ends with a tab; otherwise the text after the space would be parsed as a date.
  const name = file.includes(' ') ? `${file}\t` : file;
  return `--- a/${name}\n+++ b/${name}\n${printed.join('')}`;
}

/** An empty rest after the last line break is not a line. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function hunk(lines: readonly Line[], from: number, to: number): string {
  const [earlier, own] = [lines.slice(0, from), lines.slice(from, to)];
  const rangeOf = (without: '-' | '+'): string => {
    const count = (part: readonly Line[]): number => part.filter(({ sign }) => sign !== without).length;
    const many = count(own);
    // The position of an empty range is the line before it.
    return `${count(earlier) + (many === 0 ? 0 : 1)},${many}`;
  };
  return `@@ -${rangeOf('+')} +${rangeOf('-')} @@\n${own.map(formatLine).join('')}`;
}

const formatLine = ({ sign, text }: Line): string => (text.endsWith('\n') ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`);

/** The common begin and end are skipped, so that the longest common subsequence is searched in few lines. */
function diffLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      longest[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, young] = [before[row], after[column]];
    if (row < before.length && column < after.length && old === young) {
      lines.push({ sign: ' ', text: old as string });
      row += 1;
      column += 1;
    } else if (row < before.length && (column >= after.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: old as string });
      row += 1;
    } else {
      lines.push({ sign: '+', text: young as string });
      column += 1;
    }
  }
  return lines;
}
