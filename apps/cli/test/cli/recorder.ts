/** A console that keeps what is written, for commands that are run within the test's own process. */
import type { Console } from '../../src/terminal/console.ts';
import type { OutputStream } from '../../src/terminal/output-stream.ts';
import type { GlyphSet } from '../../src/view/index.ts';

export interface Recorder {
  readonly console: Console;
  readonly written: () => { readonly stdout: string; readonly stderr: string };
}

export function createRecorder(width: number, glyphs: GlyphSet = 'unicode'): Recorder {
  const texts = { out: '', err: '' };
  const outlet = (name: keyof typeof texts): OutputStream => ({
    write: (text) => void (texts[name] += text),
    line: (text = '') => void (texts[name] += `${text}\n`),
    isTTY: false,
    columns: () => width,
    rows: () => undefined,
    isBroken: () => false,
    flushed: () => Promise.resolve(),
    onResize: () => () => undefined,
  });
  const [out, err] = [outlet('out'), outlet('err')];
  return {
    console: {
      out,
      err,
      terminalOf: () => ({ mode: 'plain', color: false, glyphs }),
      surface: () => ({ color: false, glyphs, width }),
      note: (text) => err.line(text),
      failure: (text) => err.line(`holdfast: ${text}`),
      warning: (text) => err.line(`holdfast: ${text}`),
    },
    written: () => ({ stdout: texts.out, stderr: texts.err }),
  };
}
