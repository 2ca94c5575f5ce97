/**
 * Owns the folding of what happens, and the writing of it. Does not own what is shown (`present.ts`) or when it is written (`gateway-history.ts`).
 *
 * Invariants
 * 1. `observe` counts in memory only.
 * 2. What this process writes of calls is its own; what other processes do is folded to be shown.
 */
import type { ToolExecutionService, TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { createHistory, type History as Folds, type HistoryOptions, type KeptHistory } from '@holdfast/core/history';
import type { ChangeItem } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';
import type { StoreTail } from '../tail/store-tail.ts';
import { ChangeLog } from './change-log.ts';
import { Sequence } from './change-sequence.ts';
import { circuitRule } from './circuit-timeline.ts';
import { keepDurableHistory } from './durable-history.ts';
import type { NewChange } from './history.ts';
import { maxClusters, type OpenedHistory } from './open-history.ts';
import { createRecall } from './recall-turn.ts';

/** Where other processes, such as workers, leave what they do. */
export interface OtherProcesses {
  readonly tail: StoreTail;
  readonly store: Pick<Store, 'readAppended' | 'readTurn'>;
}

export interface RecordOptions {
  readonly service: Pick<ToolExecutionService, 'getToolSettings'>;
  readonly opened: OpenedHistory;
  readonly hasOthers: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class HistoryRecord {
  readonly kept: KeptHistory;
  /** What is shown: of every process. */
  readonly folds: Folds;
  readonly changes: ChangeLog;
  readonly sequence: Sequence = new Sequence();
  readonly #service: RecordOptions['service'];
  readonly #now: () => number;
  readonly #foldOptions: HistoryOptions;
  /** What is written: of this process's own calls. */
  readonly #own: Folds;

  constructor({ service, opened, hasOthers, now }: RecordOptions) {
    const { kept, lastIds, circuits, clusters } = opened;
    this.#service = service;
    this.#now = now;
    this.#foldOptions = {
      ruleOf: (tool) => circuitRule(service.getToolSettings(tool)?.breaker),
      isKnown: (tool) => service.getToolSettings(tool) !== undefined,
      firstCircuitChange: lastIds.circuitChange + 1,
      circuits,
      clusters,
      limits: { clusters: maxClusters },
    };
    this.kept = kept;
    this.#own = createHistory(this.#foldOptions);
    this.folds = hasOthers ? createHistory(this.#foldOptions) : this.#own;
    this.changes = new ChangeLog({
      lastId: lastIds.change,
      earlier: (count) => opened.changes.slice(0, count) as readonly ChangeItem[],
      nextPlace: () => this.sequence.next(),
    });
  }

  note(change: NewChange): void {
    this.changes.add({ at: toIso(this.#now()), ...change });
  }

  /** An event of this process. */
  observe(event: TraceEvent): void {
    this.#own.observe(event);
    for (const change of this.#own.takeChanges()) this.changes.add(change);
    if (this.folds !== this.#own) this.folds.observe(event);
    this.#touch(event);
  }

  write(until?: number): void {
    this.kept.write({ ...this.#own.take(until), changes: this.changes.take() });
    // What is only shown is written by the process it comes from.
    if (this.folds !== this.#own) this.folds.take();
  }

  /** Everything that has happened can be read behind it. */
  settle(): KeptHistory {
    this.write();
    return this.kept;
  }

  /** Returns the way to stop. */
  followOthers({ tail, store }: OtherProcesses, onFault: (text: string) => void): () => Promise<void> {
    const recall = createRecall({ store, folds: this.folds });
    const stopTail = tail.subscribe(async (events) => {
      for (const event of events) {
        await recall.observe(event);
        this.#touch(event);
      }
      this.folds.takeChanges();
    });
    const stopKeeping = keepDurableHistory({
      store,
      kept: this.kept,
      folds: this.#foldOptions,
      onChange: (change) => this.changes.add(change),
      onFault,
    });
    return async () => {
      stopTail();
      await stopKeeping();
    };
  }

  #touch(event: TraceEvent): void {
    const { tool_id: tool } = event as { readonly tool_id?: string };
    if (tool !== undefined && this.#service.getToolSettings(tool) !== undefined) this.sequence.touchTool(tool);
    if (this.folds.knowsTurn(event.turn_id)) this.sequence.touchTurn(event.turn_id);
  }
}
