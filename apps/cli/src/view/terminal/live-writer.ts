/**
 * Shows a turn while it runs: redrawn in place on a terminal, one line per event elsewhere. It only writes; the content is
 * a pure function of the events and the time.
 */
import type { TraceEvent } from '@holdfast/core';
import { renderLive } from '../live/frame.ts';
import { renderPlain } from '../plain/plain.ts';
import { createTurnFold, type TurnView } from '@holdfast/core/turn-view';
import { renderSummary } from '../summary/summary.ts';
import { type GlyphSet, cell, lineText } from '../text/cell.ts';
import { createRedrawScheduler } from './redraw-scheduler.ts';
import { createRegion, hideCursor, showCursor } from './region.ts';
import { type ProcessLike, restoreOnExit } from './restore-on-exit.ts';

export interface LiveWriterOptions {
  /** Usually `process.stderr`: results belong to stdout. */
  readonly stream: { readonly write: (text: string) => unknown };
  readonly isTTY: boolean;
  readonly columns: () => number;
  readonly rows: () => number;
  /** A monotonic clock in milliseconds; a replay can pass a faster one. */
  readonly now: () => number;
  readonly glyphs: GlyphSet;
  readonly color: boolean;
  /** Calls the listener when the terminal is resized; returns a function that removes it. */
  readonly onResize?: (listener: () => void) => () => void;
  /** The process whose exit restores the cursor. @default the current process */
  readonly process?: ProcessLike;
}

export interface LiveWriter {
  readonly event: (event: TraceEvent) => void;
  /** Writes a line above the frame, or between the plain lines. */
  readonly note: (text: string) => void;
  readonly view: () => TurnView;
  /** Replaces the frame with the summary and restores the cursor. Ignores later events. Safe to call twice. */
  readonly close: () => void;
}

const minIntervalMs = 67;
const idleIntervalMs = 125;
const plainWidth = 100;

export function createLiveWriter(options: LiveWriterOptions): LiveWriter {
  return options.isTTY ? liveWriter(options) : plainWriter(options);
}

function liveWriter(options: LiveWriterOptions): LiveWriter {
  const { stream, rows, now, glyphs, color } = options;
  const write = (text: string): void => void stream.write(text);
  const columns = (): number => sizeOr(options.columns(), 80);
  const height = (): number => sizeOr(rows(), 24);
  const region = createRegion({ write, columns, rows: height });
  const surface = () => ({ width: columns(), glyphs, color });
  const fold = createTurnFold();
  let startedAt: number | undefined;
  let open = true;

  const draw = (): void => {
    const view = fold.view();
    if (!open || view.status === 'empty') return;
    const nowMs = startedAt === undefined ? view.elapsedMs : now() - startedAt;
    region.draw(renderLive(view, { ...surface(), height: height() - 1, nowMs }));
  };
  const scheduler = createRedrawScheduler({ draw, minIntervalMs, idleIntervalMs });
  const stopResize = options.onResize?.(draw);
  const stopRestore = restoreOnExit(() => write(showCursor), options.process ?? process);
  write(hideCursor);

  return {
    event: (event) => {
      if (!open) return;
      fold.observe(event);
      startedAt ??= now() - fold.view().elapsedMs;
      scheduler.requestRedraw();
    },
    note: (text) => {
      if (!open) return;
      region.clear();
      write(`${lineText([cell(text)], surface())}\r\n`);
      draw();
    },
    view: () => fold.view(),
    close: () => {
      if (!open) return;
      open = false;
      scheduler.stop();
      stopResize?.();
      stopRestore();
      region.clear();
      if (fold.view().status !== 'empty') write(`${renderSummary(fold.view(), surface()).join('\r\n')}\r\n`);
      write(showCursor);
    },
  };
}

function plainWriter({ stream, glyphs, color, columns }: LiveWriterOptions): LiveWriter {
  const fold = createTurnFold();
  let open = true;
  const line = (text: string): void => void stream.write(`${text}\n`);
  return {
    event: (event) => {
      if (!open) return;
      fold.observe(event);
      const text = renderPlain(event);
      if (text !== undefined) line(text);
    },
    note: (text) => {
      if (open) line(cell(text).text);
    },
    view: () => fold.view(),
    close: () => {
      if (!open) return;
      open = false;
      if (fold.view().status === 'empty') return;
      for (const text of ['', ...renderSummary(fold.view(), { width: sizeOr(columns(), plainWidth), glyphs, color })]) line(text);
    },
  };
}

const sizeOr = (size: number | undefined, fallback: number): number =>
  size !== undefined && Number.isFinite(size) && size >= 1 ? Math.floor(size) : fallback;
