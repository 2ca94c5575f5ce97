import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { createLiveWriter, type LiveWriterOptions } from '../../src/view/terminal/live-writer.ts';
import type { ProcessLike } from '../../src/view/terminal/restore-on-exit.ts';
import { renderLive } from '../../src/view/live/frame.ts';
import { renderSummary } from '../../src/view/summary/summary.ts';
import { terminalScreen } from './terminal-screen.ts';
import { travelTurn, travelTurnUntil } from './travel-turn.ts';

interface FakeProcess extends ProcessLike {
  readonly killed: string[];
  readonly emit: (event: string) => boolean;
}

function createFakeProcess(): FakeProcess {
  const emitter = new EventEmitter();
  const killed: string[] = [];
  return {
    pid: 1,
    killed,
    on: (event, listener) => emitter.on(event, listener),
    off: (event, listener) => emitter.off(event, listener),
    listenerCount: (event) => emitter.listenerCount(event),
    kill: (_pid, signal) => killed.push(signal),
    emit: (event) => emitter.emit(event),
  };
}

function setUp(given: Partial<LiveWriterOptions> = {}) {
  const screen = terminalScreen(80, 40);
  const fakeProcess = createFakeProcess();
  const clock = { nowMs: 5000 };
  const resize = { listeners: new Set<() => void>() };
  const writer = createLiveWriter({
    stream: { write: screen.write },
    isTTY: true,
    columns: () => 80,
    rows: () => 40,
    now: () => clock.nowMs,
    glyphs: 'unicode',
    color: false,
    onResize: (listener) => {
      resize.listeners.add(listener);
      return () => resize.listeners.delete(listener);
    },
    process: fakeProcess,
    ...given,
  });
  const redraw = (): void => resize.listeners.forEach((listener) => listener());
  return { screen, fakeProcess, clock, resize, redraw, writer };
}

const surface = { width: 80, glyphs: 'unicode', color: false } as const;

describe('the live writer on a terminal', () => {
  it('shows the current frame, with the cursor hidden', () => {
    const { screen, clock, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1)) writer.event(event);
    clock.nowMs += 600;
    redraw();
    expect(screen.lines()).toEqual(renderLive(foldTurn(travelTurnUntil(1)), { ...surface, height: 38, nowMs: 600 }));
    expect(screen.cursorVisible()).toBe(false);
    writer.close();
  });

  it('leaves only the summary, and restores the cursor', () => {
    const { screen, fakeProcess, resize, redraw, writer } = setUp();
    screen.write('$ holdfast run\r\n');
    for (const event of travelTurn()) {
      writer.event(event);
      redraw();
    }
    writer.close();
    expect(screen.lines()).toEqual(['$ holdfast run', ...renderSummary(foldTurn(travelTurn()), surface)]);
    expect(screen.cursorVisible()).toBe(true);
    expect(resize.listeners.size).toBe(0);
    expect(['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map(fakeProcess.listenerCount)).toEqual([0, 0, 0, 0]);
  });

  it('writes notes above the frame', () => {
    const { screen, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1)) writer.event(event);
    redraw();
    writer.note('listening on\u001B[31m port 1\n');
    expect(screen.lines().slice(0, 2)).toEqual(['listening on port 1', renderLive(writer.view(), { ...surface, height: 38, nowMs: 1 })[0]]);
    writer.close();
  });

  it('restores the cursor if the process exits in the middle of a turn', () => {
    const { screen, fakeProcess, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1000)) writer.event(event);
    redraw();
    fakeProcess.emit('exit');
    expect(screen.cursorVisible()).toBe(true);
    expect(screen.cursorColumn()).toBe(0);
    writer.close();
  });

  it('restores the cursor and lets Ctrl-C end the process', () => {
    const { screen, fakeProcess, writer } = setUp();
    fakeProcess.emit('SIGINT');
    expect(screen.cursorVisible()).toBe(true);
    expect(fakeProcess.killed).toEqual(['SIGINT']);
    writer.close();
  });

  it('continues drawing if another listener handles Ctrl-C', () => {
    const { screen, fakeProcess, writer } = setUp();
    fakeProcess.on('SIGINT', () => undefined);
    fakeProcess.emit('SIGINT');
    expect(fakeProcess.killed).toEqual([]);
    expect(screen.cursorVisible()).toBe(false);
    writer.close();
    expect(screen.cursorVisible()).toBe(true);
  });

  it('draws nothing after close, which is idempotent', () => {
    const { screen, writer } = setUp();
    for (const event of travelTurn()) writer.event(event);
    writer.close();
    const before = screen.lines();
    writer.close();
    writer.note('too late');
    for (const event of travelTurn()) writer.event(event);
    expect(screen.lines()).toEqual(before);
  });

  it('works on a terminal of unknown size', () => {
    const { screen, redraw, writer } = setUp({ columns: () => Number.NaN, rows: () => 0 });
    for (const event of travelTurnUntil(1000)) writer.event(event);
    redraw();
    expect(screen.lines()[0]).toContain('turn travel-7f3a');
    writer.close();
  });
});

describe('the live writer without a terminal', () => {
  it('writes one line per event, then the summary, and no control sequence', () => {
    const written: string[] = [];
    const { writer } = setUp({ isTTY: false, stream: { write: (text) => written.push(text) }, columns: () => Number.NaN });
    for (const event of travelTurn()) writer.event(event);
    writer.close();
    expect(written[2]).toBe('10:00:00.001   +0.001s  flight_search: attempt 1, timeout 30s\n');
    expect(written.slice(travelTurn().length).map((line) => line.replace(/\n$/u, ''))).toEqual([
      '',
      ...renderSummary(foldTurn(travelTurn()), { ...surface, width: 100 }),
    ]);
    expect(written.join('')).not.toContain('\u001B');
  });
});
