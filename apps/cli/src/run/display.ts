/** Shows a running turn: live or line by line on standard error, or as the trace itself on standard output. */
import type { TraceEvent, TraceListener } from '@holdfast/core';
import type { Console, OutputMode } from '../terminal/console.ts';
import { createTurnFold, type TurnView } from '@holdfast/core/turn-view';
import { createLiveWriter } from '../view/terminal/live-writer.ts';

export interface TurnDisplay {
  readonly event: TraceListener;
  readonly note: (text: string) => void;
  readonly view: () => TurnView;
  /** Prints the summary and restores the terminal. Safe to call twice. */
  readonly close: () => void;
}

export function createDisplay(mode: OutputMode, console: Console): TurnDisplay {
  return mode === 'json' ? traceDisplay(console) : liveDisplay(mode, console);
}

function liveDisplay(mode: OutputMode, { err, terminalOf }: Console): TurnDisplay {
  const terminal = terminalOf(err);
  return createLiveWriter({
    stream: err,
    isTTY: mode === 'auto' ? terminal.mode === 'live' : mode === 'tty',
    columns: () => err.columns() ?? Number.NaN,
    rows: () => err.rows() ?? Number.NaN,
    now: () => performance.now(),
    glyphs: terminal.glyphs,
    color: terminal.color,
    onResize: err.onResize,
  });
}

/** The Turn Trace as NDJSON, each event as it happens. Skips events of other turns. */
function traceDisplay({ out, note }: Console): TurnDisplay {
  const fold = createTurnFold();
  let open = true;
  return {
    event: (event: TraceEvent) => {
      if (!open) return;
      if (fold.view().status === 'empty' && event.event_type !== 'TurnStarted') return;
      if (fold.observe(event)) out.writeLine(JSON.stringify(event));
    },
    note,
    view: () => fold.view(),
    close: () => {
      open = false;
    },
  };
}
