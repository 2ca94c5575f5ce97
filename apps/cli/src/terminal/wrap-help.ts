/** Wraps the lines of a help text that are wider than the terminal: descriptions beside their term, comments above their command. Commands stay whole, to be copied. */

/** A term or a number, at least two spaces, and its description. */
const entry = /^( {2,}\S.*? {2,})(\S.*)$/u;
const example = /^ {2}holdfast /u;

export const wrapHelp = (text: string, width: number): string =>
  text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : wrapLine(line, width)))
    .join('\n');

function wrapLine(line: string, width: number): readonly string[] {
  if (example.test(line)) return wrapExample(line, width);
  const indent = /^ */u.exec(line)?.[0] ?? '';
  const [, term = indent, description = line.trimStart()] = entry.exec(line) ?? [];
  // A column of few words is worse than a line of its own.
  if (term.length > width / 2) return [term.trimEnd(), ...fill(`${indent}    `, description, width)];
  const [first = '', ...rest] = fill(' '.repeat(term.length), description, width);
  return [term + first.slice(term.length), ...rest];
}

function wrapExample(line: string, width: number): readonly string[] {
  const [command = '', comment] = line.split(/ +# /u);
  return comment === undefined ? [line] : [...fill('  # ', comment, width), command];
}

/** Words in lines that begin with the same text. */
function fill(start: string, words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of words.split(/ +/u)) {
    if (line !== start && line.length + 1 + word.length > width) {
      lines.push(line);
      line = start;
    }
    line += line === start ? word : ` ${word}`;
  }
  return [...lines, line];
}
