/** Detects what a stream can show: live updates or lines, colours, Unicode or ASCII. */
import type { GlyphSet } from '../text/cell.ts';

/** What a stream can show, as the environment says. */
export interface Terminal {
  /** `live` redraws in place; `plain` writes one line per event. */
  readonly mode: 'live' | 'plain';
  /** Colors may be used. `FORCE_COLOR` takes precedence over `NO_COLOR`, as in Node; without either, an interactive terminal has colors. */
  readonly color: boolean;
  /** Characters that can be shown. */
  readonly glyphs: GlyphSet;
}

/** The part of a stream that is needed; `process.stderr` has it. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function detectTerminal(environment: Environment, stream: TerminalStream, platform: string = 'linux'): Terminal {
  const dumb = environment['TERM'] === 'dumb';
  const interactive = stream.isTTY === true && !dumb;
  return {
    mode: interactive && !isSet(environment['CI']) ? 'live' : 'plain',
    color: colorOf(environment, interactive),
    glyphs: hasUnicode(environment, platform) ? 'unicode' : 'ascii',
  };
}

/** `FORCE_COLOR` wins over `NO_COLOR`, as in Node. */
function colorOf(environment: Environment, interactive: boolean): boolean {
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  const noColor = environment['NO_COLOR'];
  if (noColor !== undefined && noColor !== '') return false;
  return interactive;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0' && value !== 'false';

function hasUnicode(environment: Environment, platform: string): boolean {
  // The font of the Linux console lacks most glyphs, regardless of the locale.
  if (environment['TERM'] === 'linux') return false;
  if (platform === 'win32') return isSet(environment['WT_SESSION']) || isSet(environment['TERM_PROGRAM']);
  const locale = [environment['LC_ALL'], environment['LC_CTYPE'], environment['LANG']].find((value) => value !== undefined && value !== '');
  return /utf-?8/iu.test(locale ?? '');
}
