/**
 * Shows a turn while it runs: in place on a terminal, one line per event elsewhere. It only draws; what is drawn is a
 * pure function of the events and the moment.
 */
import type { TraceEvent } from '@holdfast/core';
import { renderLive } from '../live/frame.ts';
import { renderPlain } from '../plain/plain.ts';
import { createTurnFold, type TurnView } from '@holdfast/core/turn-view';
import { renderSummary } from '../summary/summary.ts';
import { type GlyphSet, cell, lineText } from '../text/cell.ts';
import { createPace } from './pace.ts';
import { createRegion, hideCursor, showCursor } from './region.ts';
import { type EndingProcess, restoreOnEnd } from './restore.ts';

export interface LiveWriterOptions {
  /** Usually `process.stderr`: results belong to stdout. */
  readonly stream: { readonly write: (text: string) => unknown };
  readonly isTTY: boolean;
  readonly columns: () => number;
  readonly rows: () => number;
  /** Any clock in milliseconds that does not jump; a replay may give a faster one. */
  readonly now: () => number;
  readonly glyphs: GlyphSet;
  readonly color: boolean;
  /** Calls its argument when the terminal's size changed; returns how to stop. */
  readonly onResize?: (listener: () => void) => () => void;
  /** Whose end restores the cursor. @default the running process */
  readonly ending?: EndingProcess;
}

export interface LiveWriter {
  readonly event: (event: TraceEvent) => void;
  /** Writes a line above the frame, or between the plain lines. */
  readonly note: (text: string) => void;
  readonly view: () => TurnView;
  /** Replaces the frame by the summary, gives the cursor back. Later events are ignored. Safe to call twice. */
  readonly close: () => void;
}

const fastestMs = 67;
const idleMs = 125;
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
  let beganAt: number | undefined;
  let open = true;

  const draw = (): void => {
    const view = fold.view();
    if (!open || view.status === 'empty') return;
    const nowMs = beganAt === undefined ? view.elapsedMs : now() - beganAt;
    region.draw(renderLive(view, { ...surface(), height: height() - 1, nowMs }));
  };
  const pace = createPace({ draw, fastestMs, idleMs });
  const stopResize = options.onResize?.(draw);
  const stopRestore = restoreOnEnd(() => write(showCursor), options.ending ?? process);
  write(hideCursor);

  return {
    event: (event) => {
      if (!open) return;
      fold.observe(event);
      beganAt ??= now() - fold.view().elapsedMs;
      pace.happened();
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
      pace.stop();
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

const sizeOr = (size: number | undefined, instead: number): number =>
  size !== undefined && Number.isFinite(size) && size >= 1 ? Math.floor(size) : instead;
