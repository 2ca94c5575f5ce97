/** The keyboard and pointer input of the rows of the waterfall. */
import type { KeyboardEvent, MouseEvent } from 'react';
import type { Span } from './axis.model.ts';
import { keyToAction } from './keys.ts';
import type { Row, Selection } from './rows.model.ts';

export interface RowInputOptions {
  readonly rows: readonly Row[];
  readonly span: Span;
  readonly whole: Span;
  /** The focused row. */
  readonly active: number;
  readonly perPage: () => number;
  /** Focuses a row and scrolls it into view. */
  readonly go: (index: number) => void;
  /** Focuses a row. */
  readonly setAt: (index: number) => void;
  readonly onSelect: (selection: Selection) => void;
  readonly onToggle: (callId: string) => void;
  readonly onSpan: (span: Span) => void;
  readonly onClose?: () => void;
}

export interface RowInput {
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
  readonly onDoubleClick: (event: MouseEvent) => void;
}

export function createRowInput(options: RowInputOptions): RowInput {
  const { rows, span, whole, active, perPage, go, setAt, onSelect, onToggle, onSpan, onClose } = options;
  const select = (row: Row): void =>
    onSelect({ callId: row.call.callId, attempt: row.segment?.kind === 'attempt' ? row.segment.attempt : 0 });
  return {
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const action = keyToAction(event, { rows, at: active, perPage: perPage(), span, whole });
      if (action === undefined) return;
      event.preventDefault();
      if (action.kind === 'go') go(action.to);
      else if (action.kind === 'toggle') onToggle(action.callId);
      else if (action.kind === 'select') select(action.row);
      else if (action.kind === 'close') onClose?.();
      else onSpan(action.span);
    },
    onClick(event) {
      const target = event.target as Element;
      const index = indexOf(target);
      const row = rows[index];
      if (row === undefined) return;
      setAt(index);
      const toggle = target.closest<HTMLElement>('[data-toggle]')?.dataset['toggle'];
      if (toggle === undefined) select(row);
      else onToggle(toggle);
    },
    onDoubleClick(event) {
      const row = rows[indexOf(event.target as Element)];
      if (row?.expandable === true) onToggle(row.call.callId);
    },
  };
}

/** Returns the index of the row around the element, or -1. */
function indexOf(target: Element): number {
  return Number(target.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
}
