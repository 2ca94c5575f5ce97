/** A console that records its output, for commands that run in the test process. */
import type { Console } from '../../src/terminal/console.ts';
import type { OutputStream } from '../../src/terminal/output-stream.ts';
import type { GlyphSet } from '../../src/view/text/cell.ts';

export interface Recorder {
  readonly console: Console;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
}

export function createRecorder(width: number, glyphs: GlyphSet = 'unicode'): Recorder {
  const texts = { out: '', err: '' };
  const stream = (name: keyof typeof texts): OutputStream => ({
    write: (text) => void (texts[name] += text),
    writeLine: (text = '') => void (texts[name] += `${text}\n`),
    isTTY: false,
    columns: () => width,
    rows: () => undefined,
    isBroken: () => false,
    flush: () => Promise.resolve(),
    onResize: () => () => undefined,
  });
  const [out, err] = [stream('out'), stream('err')];
  return {
    console: {
      out,
      err,
      terminalOf: () => ({ mode: 'plain', color: false, glyphs }),
      surface: () => ({ color: false, glyphs, width }),
      note: (text) => err.writeLine(text),
      error: (text) => err.writeLine(`holdfast: ${text}`),
      warn: (text) => err.writeLine(`holdfast: ${text}`),
    },
    output: () => ({ stdout: texts.out, stderr: texts.err }),
  };
}
