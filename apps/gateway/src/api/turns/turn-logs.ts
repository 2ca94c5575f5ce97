/**
 * Owns which turns are followed, and the one subscription to the engine for all of them.
 *
 * Invariants
 * 1. There is no subscription to the engine while no turn is followed.
 * 2. A log has every recorded and every live event of its turn, whenever following began: the subscription starts before the record is read.
 * 3. A log without followers is removed; the log of a turn of this API is kept until the turn has ended.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Store, TurnSummary } from '@holdfast/core/store';
import type { StoreTail } from '../../tail/store-tail.ts';
import type { ApiService } from '../parts.ts';
import type { TurnStatus } from './api-turns.ts';
import { findTurn } from './find-turn.ts';
import { TurnLog } from './turn-log.ts';

export interface TurnLogsOptions {
  readonly service: Pick<ApiService, 'subscribe'>;
  readonly history: Store;
  /** The service does not write to `history`: live events of the turns of this API are appended here. */
  readonly record: boolean;
  /** Reports what other processes append to `history`. @default the record is polled */
  readonly tail?: StoreTail | undefined;
  /** Returns the state of a turn that is not in the record, or interrupted in it: an engine may know more. @default the turn has ended */
  readonly status?: ((turnId: string) => Promise<TurnStatus>) | undefined;
}

export interface Following {
  readonly log: TurnLog;
  /** Call it once when the log is no longer read. */
  readonly release: () => void;
}

/** How often the record is polled while there are no live events: events of other processes are not received live. */
const pollMs = 1_000;
/** After this many polls, a turn without records that has ended at its engine is given up. */
const maxEmptyPolls = 10;

interface Entry {
  readonly log: TurnLog;
  /** Received before the record was read. */
  early: TraceEvent[] | undefined;
  ready: Promise<boolean>;
  followers: number;
  /** Whether it is a turn of this API. */
  readonly own: boolean;
  stopPolling: () => void;
}

export class TurnLogs {
  readonly #options: TurnLogsOptions;
  readonly #entries = new Map<string, Entry>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: TurnLogsOptions) {
    this.#options = options;
  }

  /** Opens the log of a turn that is about to start. */
  open(turnId: string): TurnLog {
    return this.#add(turnId, true).log;
  }

  /** Follows a turn, whatever runs it; `undefined` when there is no turn with that id. */
  async follow(turnId: string): Promise<Following | undefined> {
    const entry = this.#entries.get(turnId) ?? this.#attach(turnId);
    entry.followers += 1;
    if (await entry.ready) return { log: entry.log, release: () => this.#release(turnId, entry) };
    this.#release(turnId, entry);
    return undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  #add(turnId: string, own: boolean): Entry {
    const log = new TurnLog(turnId, () => this.#forget(turnId, entry));
    const entry: Entry = { log, own, early: undefined, ready: Promise.resolve(true), followers: 0, stopPolling: ignore };
    this.#entries.set(turnId, entry);
    this.#unsubscribe ??= this.#listen();
    return entry;
  }

  #listen(): () => void {
    const { service, tail } = this.#options;
    const ways = [service.subscribe((event) => this.#receive(event))];
    if (tail)
      ways.push(
        tail.pollOften(),
        tail.subscribe((events) => events.forEach((event) => this.#receiveOther(event))),
      );
    return () => ways.forEach((stop) => stop());
  }

  #attach(turnId: string): Entry {
    const entry = this.#add(turnId, false);
    entry.early = [];
    entry.ready = this.#load(turnId, entry);
    return entry;
  }

  async #load(turnId: string, entry: Entry): Promise<boolean> {
    const { log } = entry;
    const found = await findTurn(this.#options.history, turnId).catch(() => undefined);
    if (found) log.add(found.events);
    for (const event of entry.early ?? []) log.add([event]);
    entry.early = undefined;
    if (log.events.length === 0 && !(await this.#isSubmitted(turnId))) return false;
    if (found && (await this.#isOver(turnId, found.summary, false))) log.end();
    if (!log.ended) entry.stopPolling = this.#poll(turnId, found?.summary.run, log);
    return true;
  }

  #poll(turnId: string, run: number | undefined, log: TurnLog): () => void {
    let received = log.received;
    let polls = 0;
    const timer = setInterval(() => {
      polls += 1;
      if (log.received === received) void this.#pollOnce(turnId, run, { log, isLast: polls >= maxEmptyPolls });
      received = log.received;
    }, pollMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #pollOnce(
    turnId: string,
    run: number | undefined,
    { log, isLast }: { readonly log: TurnLog; readonly isLast: boolean },
  ): Promise<void> {
    const found = await findTurn(this.#options.history, turnId, run).catch(() => undefined);
    if (found === undefined) {
      if (isLast && !(await this.#isRunning(turnId))) log.end();
      return;
    }
    log.add(found.events);
    if (await this.#isOver(turnId, found.summary, isLast)) log.end();
  }

  /** An interrupted turn has not ended if another worker takes it over, and the end of one that has ended may still reach the record. */
  async #isOver(turnId: string, { state }: TurnSummary, isLast: boolean): Promise<boolean> {
    if (state !== 'interrupted') return state === 'completed';
    const status = await this.#options.status?.(turnId);
    if (status === undefined) return true;
    if (status.refusal !== undefined || status.state === 'running') return false;
    return isLast || status.state !== 'completed';
  }

  /** Whether the turn was submitted and is not in the record yet. */
  async #isSubmitted(turnId: string): Promise<boolean> {
    const status = await this.#options.status?.(turnId);
    return status !== undefined && status.refusal === undefined && status.state !== 'unknown';
  }

  async #isRunning(turnId: string): Promise<boolean> {
    const status = await this.#options.status?.(turnId);
    return status !== undefined && (status.refusal !== undefined || status.state === 'running');
  }

  #receive(event: TraceEvent): void {
    const entry = this.#entries.get(event.turn_id);
    if (entry === undefined) return;
    if (this.#options.record && entry.own) this.#options.history.append([event]);
    if (entry.early) entry.early.push(event);
    else entry.log.receive(event);
  }

  #receiveOther(event: TraceEvent): void {
    const entry = this.#entries.get(event.turn_id);
    if (entry?.early) entry.early.push(event);
    else entry?.log.add([event]);
  }

  #release(turnId: string, entry: Entry): void {
    entry.followers -= 1;
    if (entry.followers === 0 && !entry.own) this.#forget(turnId, entry);
  }

  #forget(turnId: string, entry: Entry): void {
    entry.stopPolling();
    if (this.#entries.get(turnId) === entry) this.#entries.delete(turnId);
    if (this.#entries.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

function ignore(): void {
  // There is no polling to stop.
}
