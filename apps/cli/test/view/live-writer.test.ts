import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { createLiveWriter, type ProcessLike, type LiveWriterOptions, renderLive, renderSummary } from '../../src/view/index.ts';
import { terminalScreen } from './terminal-screen.ts';
import { travelTurn, travelTurnUntil } from './travel-turn.ts';

interface Ending extends ProcessLike {
  readonly killed: string[];
  readonly emit: (event: string) => boolean;
}

function endingProcess(): Ending {
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
  const ending = endingProcess();
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
    ending,
    ...given,
  });
  const redraw = (): void => resize.listeners.forEach((listener) => listener());
  return { screen, ending, clock, resize, redraw, writer };
}

const surface = { width: 80, glyphs: 'unicode', color: false } as const;

describe('the live writer on a terminal', () => {
  it('shows the frame of the moment, with the cursor hidden', () => {
    const { screen, clock, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1)) writer.event(event);
    clock.nowMs += 600;
    redraw();
    expect(screen.lines()).toEqual(renderLive(foldTurn(travelTurnUntil(1)), { ...surface, height: 38, nowMs: 600 }));
    expect(screen.cursorVisible()).toBe(false);
    writer.close();
  });

  it('leaves the summary, the cursor and nothing else', () => {
    const { screen, ending, resize, redraw, writer } = setUp();
    screen.write('$ holdfast run\r\n');
    for (const event of travelTurn()) {
      writer.event(event);
      redraw();
    }
    writer.close();
    expect(screen.lines()).toEqual(['$ holdfast run', ...renderSummary(foldTurn(travelTurn()), surface)]);
    expect(screen.cursorVisible()).toBe(true);
    expect(resize.listeners.size).toBe(0);
    expect(['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map(ending.listenerCount)).toEqual([0, 0, 0, 0]);
  });

  it('puts notes above the frame', () => {
    const { screen, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1)) writer.event(event);
    redraw();
    writer.note('listening on\u001B[31m port 1\n');
    expect(screen.lines().slice(0, 2)).toEqual(['listening on port 1', renderLive(writer.view(), { ...surface, height: 38, nowMs: 1 })[0]]);
    writer.close();
  });

  it('gives the cursor back when the process exits in the middle of a turn', () => {
    const { screen, ending, redraw, writer } = setUp();
    for (const event of travelTurnUntil(1000)) writer.event(event);
    redraw();
    ending.emit('exit');
    expect(screen.cursorVisible()).toBe(true);
    expect(screen.cursorColumn()).toBe(0);
    writer.close();
  });

  it('lets ctrl-C end the process, with its cursor', () => {
    const { screen, ending, writer } = setUp();
    ending.emit('SIGINT');
    expect(screen.cursorVisible()).toBe(true);
    expect(ending.killed).toEqual(['SIGINT']);
    writer.close();
  });

  it('leaves ctrl-C to anyone who cancels the turn, and continues drawing', () => {
    const { screen, ending, writer } = setUp();
    ending.on('SIGINT', () => undefined);
    ending.emit('SIGINT');
    expect(ending.killed).toEqual([]);
    expect(screen.cursorVisible()).toBe(false);
    writer.close();
    expect(screen.cursorVisible()).toBe(true);
  });

  it('draws nothing after its end, and ends once', () => {
    const { screen, writer } = setUp();
    for (const event of travelTurn()) writer.event(event);
    writer.close();
    const left = screen.lines();
    writer.close();
    writer.note('too late');
    for (const event of travelTurn()) writer.event(event);
    expect(screen.lines()).toEqual(left);
  });

  it('survives a terminal that does not know its size', () => {
    const { screen, redraw, writer } = setUp({ columns: () => Number.NaN, rows: () => 0 });
    for (const event of travelTurnUntil(1000)) writer.event(event);
    redraw();
    expect(screen.lines()[0]).toContain('turn travel-7f3a');
    writer.close();
  });
});

describe('the live writer elsewhere', () => {
  it('writes one line per event, then the summary, and no control sequence', () => {
    const written: string[] = [];
    const { writer } = setUp({ isTTY: false, stream: { write: (text) => written.push(text) }, columns: () => Number.NaN });
    for (const event of travelTurn()) writer.event(event);
    writer.close();
    expect(written[2]).toBe('10:00:00.001   +0.001s  flight_search: attempt 1, limit 30s\n');
    expect(written.slice(travelTurn().length).map((line) => line.replace(/\n$/u, ''))).toEqual([
      '',
      ...renderSummary(foldTurn(travelTurn()), { ...surface, width: 100 }),
    ]);
    expect(written.join('')).not.toContain('\u001B');
  });
});
