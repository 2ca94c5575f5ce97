/** Renders a table of metrics if it fits, else a block per row with one metric per line. */
import { renderTable } from '../../terminal/table.ts';
import { type Cell, cell, lineText, space, type Surface, widthOf } from '../text/cell.ts';

export function fits(titles: readonly string[], rows: readonly (readonly Cell[])[], surface: Surface): boolean {
  const widths = titles.map((title, index) => Math.max(title.length, ...rows.map((row) => widthOf(row.slice(index, index + 1)))));
  return widths.reduce((sum, width) => sum + width + 2, 0) <= surface.width;
}

/** The first cell of a row is its name. */
export function renderMetricTable(titles: readonly string[], rows: readonly (readonly Cell[])[], surface: Surface): readonly string[] {
  return fits(titles, rows, surface) ? renderTable(titles, rows, surface) : renderBlocks(titles, rows, surface);
}

export function renderBlocks(titles: readonly string[], rows: readonly (readonly Cell[])[], surface: Surface): readonly string[] {
  const widest = Math.max(...titles.map((title) => title.length));
  return rows.flatMap(([name = cell(''), ...metrics]) => {
    const lines = metrics.map((metric, index) => [space(3), cell((titles[index + 1] ?? '').padEnd(widest + 2), 'dim'), metric]);
    return [[space(1), name], ...lines].map((line) => lineText(line, surface));
  });
}
