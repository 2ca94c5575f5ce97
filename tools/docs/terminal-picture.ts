/** Draws the output of a terminal as SVG. */

export interface Theme {
  readonly background: string;
  readonly border: string;
  readonly text: string;
  readonly dim: string;
  /** By the number of the ANSI colour. */
  readonly colors: Readonly<Record<number, string>>;
}

export const themes = {
  light: {
    background: '#ffffff',
    border: '#d0d7de',
    text: '#1f2328',
    dim: '#656d76',
    colors: { 31: '#c4202b', 32: '#1a7f37', 33: '#8a6100', 34: '#0550ae', 35: '#8250df', 36: '#1b7c83' },
  },
  dark: {
    background: '#0d1117',
    border: '#30363d',
    text: '#e6edf3',
    dim: '#8d96a0',
    colors: { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#76e3ea' },
  },
} as const satisfies Readonly<Record<string, Theme>>;

interface Style {
  readonly color?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
}

interface Run extends Style {
  readonly column: number;
  readonly text: string;
}

const cell = { width: 8.4, height: 20, font: 14, padding: 16 } as const;

export function drawTerminal(output: string, theme: Theme, columns: number): string {
  const lines = output.split('\n').map(runsOf);
  const width = Math.ceil(columns * cell.width + 2 * cell.padding);
  const height = lines.length * cell.height + 2 * cell.padding;
  const texts = lines.flatMap((runs, row) => runs.map((run) => draw(run, row, theme)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.font}">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>`,
    ...texts,
    '</svg>\n',
  ].join('\n');
}

/** The pieces of a line that have one style, without spaces around them. */
function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let style: Style = {};
  let column = 0;
  // eslint-disable-next-line no-control-regex
  for (const [index, part] of line.split(/\u001B\[([\d;]*)m/u).entries()) {
    if (index % 2 === 1) {
      for (const code of part.split(';')) style = applied(style, Number(code));
      continue;
    }
    for (const { 0: text, index: at } of part.matchAll(/\S+(?: \S+)*/gu)) runs.push({ ...style, text, column: column + at });
    column += part.length;
  }
  return runs;
}

function applied(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  const { color, ...plain } = style;
  if (code === 22) return color === undefined ? {} : { color };
  if (code === 39) return plain;
  return code >= 31 && code <= 36 ? { ...style, color: code } : style;
}

/** The length is given, so that columns stay aligned in every font. */
function draw({ text, column, color, bold, dim }: Run, row: number, theme: Theme): string {
  const x = (cell.padding + column * cell.width).toFixed(1);
  const y = cell.padding + row * cell.height + cell.font;
  const fill = color === undefined ? (dim === true ? theme.dim : theme.text) : (theme.colors[color] ?? theme.text);
  const weight = bold === true ? ' font-weight="600"' : '';
  const length = (text.length * cell.width).toFixed(1);
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${weight}>${escaped(text)}</text>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
