/** A minimal terminal emulator: a grid of characters, a cursor, a scrollback. Throws on unknown control sequences. */
export interface TerminalScreen {
  readonly write: (text: string) => void;
  /** The scrollback and the visible lines, without empty lines at the end. */
  readonly lines: () => readonly string[];
  readonly cursorVisible: () => boolean;
  readonly cursorColumn: () => number;
  /** Whether a frame was started and not ended. */
  readonly synchronized: () => boolean;
}

const escape = '\u001B';
/** A control sequence, or any one character. */
const pieces = new RegExp(`${escape}\\[([?\\d;]*[A-Za-z])|([^])`, 'gu');

export function terminalScreen(columns: number, rows: number): TerminalScreen {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  let visible = true;
  let synchronized = false;
  const top = (): number => Math.max(0, lines.length - rows);

  const put = (character: string): void => {
    if (column >= columns) throw new Error(`a line is wider than ${columns} columns`);
    const line = (lines[row] ??= []);
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  };
  const control = (sequence: string): void => {
    const up = /^(\d+)A$/u.exec(sequence);
    if (up) row = Math.max(top(), row - Number(up[1]));
    else if (sequence === 'K') lines[row]?.splice(column);
    else if (sequence === '2K') lines[row]?.splice(0);
    else if (sequence === '?25l' || sequence === '?25h') visible = sequence.endsWith('h');
    else if (sequence === '?2026h' || sequence === '?2026l') synchronized = sequence.endsWith('h');
    else throw new Error(`unknown control sequence ${JSON.stringify(sequence)}`);
  };

  return {
    write: (text) => {
      for (const [, sequence, character] of text.matchAll(pieces)) {
        if (sequence !== undefined) control(sequence);
        else if (character === '\r') column = 0;
        else if (character === '\n') {
          row += 1;
          lines[row] ??= [];
        } else if (character !== undefined) put(character);
      }
    },
    lines: () => {
      const text = lines.map((line) => line.join('').trimEnd());
      while (text.at(-1) === '') text.pop();
      return text;
    },
    cursorVisible: () => visible,
    cursorColumn: () => column,
    synchronized: () => synchronized,
  };
}
