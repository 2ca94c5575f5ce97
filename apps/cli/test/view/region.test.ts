import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRegion } from '../../src/view/terminal/region.ts';
import { terminalScreen } from './terminal-screen.ts';

const frames = fc.array(fc.array(fc.constantFrom('', 'a', 'bb', 'row of text', '0123456789'), { maxLength: 7 }), { maxLength: 12 });

describe('the region', () => {
  it('shows exactly the latest frame below the earlier output', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 0, max: 12 }), (drawn, before) => {
        const screen = terminalScreen(10, 8);
        const shell = Array.from({ length: before }, (_, index) => `shell ${index}`);
        screen.write(shell.map((line) => `${line}\r\n`).join(''));
        const region = createRegion({ write: screen.write, columns: () => 10, rows: () => 8 });
        const fitting = drawn.map((frame) => frame.map((line) => line.slice(0, 10)));
        for (const frame of fitting) {
          region.draw(frame);
          expect(screen.lines()).toEqual(trimEmptyLines([...shell, ...frame]));
          expect(screen.synchronized()).toBe(false);
          expect(screen.cursorColumn()).toBe(0);
        }
        region.clear();
        expect(screen.lines()).toEqual(shell);
      }),
    );
  });

  it('writes only changed lines', () => {
    const written: string[] = [];
    const region = createRegion({ write: (text) => written.push(text), columns: () => 20, rows: () => 8 });
    region.draw(['one', 'two', 'three']);
    region.draw(['one', 'two', 'three']);
    expect(written).toHaveLength(1);
    region.draw(['one', 'TWO', 'three']);
    expect(written[1]).toBe('\u001B[?2026h\r\u001B[2ATWO\u001B[K\r\n\r\n\u001B[?2026l');
  });

  it('is always smaller than the screen, so that its first line stays reachable', () => {
    const screen = terminalScreen(20, 5);
    const region = createRegion({ write: screen.write, columns: () => 20, rows: () => 5 });
    region.draw(['1', '2', '3', '4', '5', '6', '7']);
    region.draw(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(screen.lines()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('erases lines that a narrower terminal has rewrapped', () => {
    const written: string[] = [];
    let columns = 20;
    const region = createRegion({ write: (text) => written.push(text), columns: () => columns, rows: () => 10 });
    region.draw(['x'.repeat(20), 'short']);
    columns = 10;
    region.draw(['x'.repeat(10), 'short']);
    const erased = '\u001B[1A\u001B[2K'.repeat(3);
    expect(written[1]).toBe(`\u001B[?2026h\r${erased}${'x'.repeat(10)}\r\nshort\r\n\u001B[?2026l`);
  });
});

const trimEmptyLines = (lines: readonly string[]): readonly string[] => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
