/**
 * Owns a turn in the Trace Event Format, which Perfetto and `chrome://tracing` open: a row for each call, its attempts within it, waits between them.
 *
 * Invariants
 * 1. Slices of a row are nested or disjoint: concurrent attempts have separate rows.
 * 2. Times are microseconds since the turn began.
 */
import type { TraceEvent } from '@holdfast/core';
import { foldTurn } from '@holdfast/core/turn-view';
import { attribute, spanEvent } from '../semconv.ts';
import { inSeconds, some } from '../spans/span-events.ts';
import type { ExportOptions } from './options.ts';
import { checkExportOptions, spanOptions } from './options.ts';
import type { SpanRecord } from './span-records.ts';
import { spanRecords } from './span-records.ts';

/** `X`: slice, `i`: instant, `s` and `f`: the two ends of an arrow, `M`: names. */
export interface ChromeEvent {
  /** Title of the slice or instant; for `M` the kind of name that `args` gives. */
  readonly name: string;
  /** Category, such as `call`, `attempt` or `event`. */
  readonly cat?: string;
  /** Phase: the kind of event. */
  readonly ph: 'X' | 'i' | 's' | 'f' | 'M';
  /** Process: always 1. */
  readonly pid: number;
  /** Row, counted from 1. */
  readonly tid: number;
  /** Begin, in microseconds since the turn began. */
  readonly ts?: number;
  /** Length of a slice in microseconds. */
  readonly dur?: number;
  /** Scope of an instant: its row. */
  readonly s?: 't';
  /** Pairs the two ends of an arrow. */
  readonly id?: number;
  /** At the end of an arrow: bound to the slice that encloses it. */
  readonly bp?: 'e';
  /** Details that the viewer shows. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A turn in the Trace Event Format. */
export interface ChromeTrace {
  /** Unit in which viewers show times. */
  readonly displayTimeUnit: 'ms';
  /** The turn's id and when it began: `turn_id` and `started_at`. */
  readonly otherData: Readonly<Record<string, string>>;
  /** Slices, instants, arrows and names of rows. */
  readonly traceEvents: readonly ChromeEvent[];
}

const pid = 1;
const turnRow = 1;

/** The events of one turn, all of them, in their order. */
export function toChromeTrace(events: readonly TraceEvent[], options: ExportOptions = {}): ChromeTrace {
  checkExportOptions(options, 'toChromeTrace');
  const [first] = events;
  const otherData = { turn_id: first?.turn_id ?? '', started_at: first?.timestamp ?? '' };
  if (!first) return { displayTimeUnit: 'ms', otherData, traceEvents: [] };
  const rows = new Rows(spanRecords(events, spanOptions(options)));
  const { serviceName = 'holdfast' } = options;
  const process: ChromeEvent = {
    name: 'process_name',
    ph: 'M',
    pid,
    tid: turnRow,
    args: { name: `${serviceName}: turn ${first.turn_id}` },
  };
  return {
    displayTimeUnit: 'ms',
    otherData,
    traceEvents: [process, ...rows.names(), ...rows.slices(), ...rows.waits(events), ...rows.arrows()],
  };
}

/** The row of each span. */
class Rows {
  readonly #records: readonly SpanRecord[];
  readonly #rows = new Map<SpanRecord, number>();
  readonly #titles = new Map<number, string>();
  /** By row. */
  readonly #attempts = new Map<number, readonly SpanRecord[]>();

  constructor(records: readonly SpanRecord[]) {
    this.#records = records;
    for (const record of records) this.#rows.set(record, this.#assignRow(record));
  }

  names(): readonly ChromeEvent[] {
    return [...this.#titles].flatMap(([tid, title]) => [
      { name: 'thread_name', ph: 'M', pid, tid, args: { name: title } } as const,
      { name: 'thread_sort_index', ph: 'M', pid, tid, args: { sort_index: tid } } as const,
    ]);
  }

  slices(): readonly ChromeEvent[] {
    return this.#records.flatMap((record) => {
      const tid = this.#row(record);
      const { name, role, startMs, endMs, attributes, failure, events } = record;
      const args = failure ? { ...attributes, error: failure.message } : attributes;
      const slice: ChromeEvent = {
        name,
        cat: role,
        ph: 'X',
        pid,
        tid,
        ts: micros(startMs),
        dur: micros(endMs) - micros(startMs),
        args,
      };
      const instants = events.map((event): ChromeEvent => {
        const title =
          event.name === spanEvent.RecoveryDecided ? `decision: ${String(event.attributes[attribute.decisionAction])}` : event.name;
        return { name: title, cat: 'event', ph: 'i', s: 't', pid, tid, ts: micros(event.atMs), args: event.attributes };
      });
      return [slice, ...instants];
    });
  }

  /** When calls only waited: for a delay, a slot, a time that a server named, the retry budget, or the recovery of a tool. */
  waits(events: readonly TraceEvent[]): readonly ChromeEvent[] {
    const rows = new Map(
      this.#records.flatMap((record) => (record.role === 'call' ? [[callIdOf(record), this.#row(record)] as const] : [])),
    );
    return foldTurn(events).calls.flatMap(({ callId, segments }) =>
      segments.flatMap(({ kind, wait, heldMs, startMs, endMs = startMs }): readonly ChromeEvent[] => {
        if ((kind !== 'backoff' && kind !== 'queue') || endMs === startMs) return [];
        const name = kind === 'queue' && wait !== 'concurrency' ? wait : kind;
        const place = { pid, tid: rows.get(callId) ?? turnRow, ts: micros(startMs), dur: micros(endMs) - micros(startMs) };
        return [{ name, cat: 'wait', ph: 'X', ...place, args: some({ [attribute.held]: inSeconds(heldMs) }) }];
      }),
    );
  }

  /** From the end of a dependency to the start of the call that waited for it. */
  arrows(): readonly ChromeEvent[] {
    let id = 0;
    return this.#records.flatMap((record) =>
      record.links
        .filter(({ kind }) => kind === 'depends_on')
        .flatMap(({ to }): readonly ChromeEvent[] => {
          id += 1;
          const arrow = { name: 'depends on', cat: 'dependency', id, pid } as const;
          const from = { ...arrow, ph: 's', tid: this.#row(to), ts: micros(to.endMs) } as const;
          return [from, { ...arrow, ph: 'f', bp: 'e', tid: this.#row(record), ts: micros(record.startMs) }];
        }),
    );
  }

  #row(record: SpanRecord): number {
    return this.#rows.get(record) ?? turnRow;
  }

  #assignRow(record: SpanRecord): number {
    const { role, parent, attributes } = record;
    if (role === 'turn') return this.#title('turn');
    if (role === 'call') return this.#title(`${String(attributes[attribute.toolName])} (${callIdOf(record)})`);
    const row = parent ? this.#row(parent) : turnRow;
    if (role !== 'attempt') return row;
    const before = this.#attempts.get(row) ?? [];
    if (before.some((other) => overlap(other, record))) return this.#title(`${this.#titles.get(row) ?? ''} hedged`);
    this.#attempts.set(row, [...before, record]);
    return row;
  }

  #title(title: string): number {
    const row = turnRow + this.#titles.size;
    this.#titles.set(row, title);
    return row;
  }
}

function callIdOf({ attributes }: SpanRecord): string {
  return String(attributes[attribute.toolCallId]);
}

function overlap(one: SpanRecord, other: SpanRecord): boolean {
  return one.startMs < other.endMs && other.startMs < one.endMs;
}

/** Microseconds with three digits are precise enough. */
function micros(milliseconds: number): number {
  return Math.round(milliseconds * 1_000_000) / 1_000;
}
