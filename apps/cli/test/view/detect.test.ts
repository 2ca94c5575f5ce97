import { describe, expect, it } from 'vitest';
import { detectTerminal } from '../../src/view/terminal/detect.ts';

const terminal = { isTTY: true };
const utf8 = { LANG: 'en_US.UTF-8', TERM: 'xterm-256color' };

describe('detectTerminal', () => {
  it('detects a usual terminal', () => {
    expect(detectTerminal(utf8, terminal)).toEqual({ mode: 'live', color: true, glyphs: 'unicode' });
  });

  it('chooses plain lines without colour in a pipe', () => {
    expect(detectTerminal(utf8, { isTTY: false })).toEqual({ mode: 'plain', color: false, glyphs: 'unicode' });
    expect(detectTerminal(utf8, {})).toEqual({ mode: 'plain', color: false, glyphs: 'unicode' });
  });

  it('chooses plain lines in CI, with colour if there is a terminal', () => {
    expect(detectTerminal({ ...utf8, CI: 'true' }, terminal)).toEqual({ mode: 'plain', color: true, glyphs: 'unicode' });
    expect(detectTerminal({ ...utf8, CI: '' }, terminal).mode).toBe('live');
    expect(detectTerminal({ ...utf8, CI: 'false' }, terminal).mode).toBe('live');
  });

  it('chooses plain lines on a dumb terminal', () => {
    expect(detectTerminal({ ...utf8, TERM: 'dumb' }, terminal)).toEqual({ mode: 'plain', color: false, glyphs: 'unicode' });
  });

  it.each([
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ])('follows %o for colour', (environment, isTTY, color) => {
    expect(detectTerminal({ ...utf8, ...environment }, { isTTY }).color).toBe(color);
  });

  it.each([
    [{ LANG: 'C' }, 'ascii'],
    [{}, 'ascii'],
    [{ LANG: 'de_DE.ISO-8859-1' }, 'ascii'],
    [{ LANG: 'de_DE.utf8' }, 'unicode'],
    [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, 'unicode'],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, 'ascii'],
    [{ LANG: 'en_US.UTF-8', LC_ALL: '' }, 'unicode'],
    [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'ascii'],
  ])('uses for %o the glyph set %s', (environment, glyphs) => {
    expect(detectTerminal(environment, terminal).glyphs).toBe(glyphs);
  });

  it('detects Unicode terminals on Windows, which have no locale', () => {
    expect(detectTerminal({ WT_SESSION: 'x' }, terminal, 'win32').glyphs).toBe('unicode');
    expect(detectTerminal({}, terminal, 'win32').glyphs).toBe('ascii');
  });
});
