/** The keyboard commands of the waterfall. */
import { moveSpan, type Span, zoomSpan } from './axis.model.ts';
import type { Row } from './rows.model.ts';

export interface KeyContext {
  readonly rows: readonly Row[];
  /** The focused row. */
  readonly at: number;
  readonly perPage: number;
  readonly span: Span;
  readonly whole: Span;
}

export type KeyAction =
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'toggle'; readonly callId: string }
  | { readonly kind: 'select'; readonly row: Row }
  | { readonly kind: 'close' }
  | { readonly kind: 'span'; readonly span: Span };

export interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
}

const zoomFactor = 0.7;

export function keyToAction({ key, shiftKey }: Pressed, { rows, at, perPage, span, whole }: KeyContext): KeyAction | undefined {
  const row = rows[at];
  const goTo = (to: number): KeyAction => ({ kind: 'go', to: Math.min(rows.length - 1, Math.max(0, to)) });
  const show = (next: Span): KeyAction => ({ kind: 'span', span: next });
  const middle = (span.fromMs + span.toMs) / 2;
  const step = (span.toMs - span.fromMs) / 5;
  switch (key) {
    case 'ArrowDown':
      return goTo(at + 1);
    case 'ArrowUp':
      return goTo(at - 1);
    case 'PageDown':
      return goTo(at + perPage);
    case 'PageUp':
      return goTo(at - perPage);
    case 'Home':
      return goTo(0);
    case 'End':
      return goTo(rows.length - 1);
    case 'ArrowRight':
      if (shiftKey) return show(moveSpan(span, step, whole));
      return row?.expandable === true ? (row.expanded ? goTo(at + 1) : { kind: 'toggle', callId: row.call.callId }) : undefined;
    case 'ArrowLeft':
      if (shiftKey) return show(moveSpan(span, -step, whole));
      if (row?.level === 2) return goTo(at - row.position);
      return row?.expanded === true ? { kind: 'toggle', callId: row.call.callId } : undefined;
    case 'Enter':
    case ' ':
      return row === undefined ? undefined : { kind: 'select', row };
    case 'Escape':
      return { kind: 'close' };
    case '+':
    case '=':
      return show(zoomSpan(span, zoomFactor, middle, whole));
    case '-':
      return show(zoomSpan(span, 1 / zoomFactor, middle, whole));
    case '0':
      return show(whole);
    default:
      return undefined;
  }
}
