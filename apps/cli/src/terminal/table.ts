/** Renders text tables: each column is as wide as its content, and the last one takes what is left. */
import type { Surface } from '../view/text/cell.ts';
import { type Cell, cell, column, lineText, space, widthOf } from '../view/text/cell.ts';

const gap = 2;

export function renderTable(titles: readonly string[], rows: readonly (readonly Cell[])[], surface: Surface): readonly string[] {
  const lines = [titles.map((title) => cell(title, 'dim')), ...rows];
  const widths = titles.map((_, index) => Math.max(...lines.map((line) => widthOf(line.slice(index, index + 1)))));
  return lines.map((line) => {
    let room = surface.width - 1;
    const cells = line.flatMap((each, index) => {
      const width = Math.max(0, Math.min(widths[index] ?? 0, room));
      room -= width + gap;
      return [...column(each, width), space(index === line.length - 1 ? 0 : gap)];
    });
    return lineText([space(1), ...cells], surface).trimEnd();
  });
}
