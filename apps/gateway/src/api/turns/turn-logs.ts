/**
 * Owns which turns are followed, and the one ear at the engine for all of them.
 *
 * Invariants
 * 1. Nobody listens to the engine while no turn is followed.
 * 2. A log has every event of its turn that was recorded or heard, whenever following began: hearing begins before the record is read.
 * 3. A log that nobody follows any more is forgotten; that of a turn of this API lasts until the turn has ended.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Store, TurnSummary } from '@holdfast/core/store';
import type { StoreTail } from '../../tail/store-tail.ts';
import type { ApiService } from '../parts.ts';
import type { Standing } from './api-turns.ts';
import { findTurn } from './find-turn.ts';
import { TurnLog } from './turn-log.ts';

export interface TurnLogsOptions {
  readonly service: Pick<ApiService, 'subscribe'>;
  readonly history: Store;
  /** The service hands nothing to `history`: what is heard of the turns of this API goes there. */
  readonly record: boolean;
  /** Hears what other processes append to `history`. @default the record is looked at now and then */
  readonly tail?: StoreTail | undefined;
  /** How a turn stands that the record does not know, or calls interrupted: an engine may know better. @default it is over */
  readonly standing?: ((turnId: string) => Promise<Standing>) | undefined;
}

export interface Following {
  readonly log: TurnLog;
  /** Call it once when it is not read any more. */
  readonly release: () => void;
}

/** What another process does is not heard: the record is looked at this often while nothing is. */
const lookEveryMs = 1_000;
/** A turn that is over for its engine, and of which nothing was recorded, is not waited for any longer. */
const mostLooksForNothing = 10;

interface Entry {
  readonly log: TurnLog;
  /** Heard before the record was read. */
  early: TraceEvent[] | undefined;
  ready: Promise<boolean>;
  followers: number;
  /** A turn of this API. */
  readonly own: boolean;
  stopLooking: () => void;
}

export class TurnLogs {
  readonly #options: TurnLogsOptions;
  readonly #entries = new Map<string, Entry>();
  #deafen: (() => void) | undefined;

  constructor(options: TurnLogsOptions) {
    this.#options = options;
  }

  /** Of a turn that is about to begin. */
  open(turnId: string): TurnLog {
    return this.#add(turnId, true).log;
  }

  /** Follows a turn, no matter who runs it; `undefined` when there is none of that id. */
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
    const entry: Entry = { log, own, early: undefined, ready: Promise.resolve(true), followers: 0, stopLooking: ignore };
    this.#entries.set(turnId, entry);
    this.#deafen ??= this.#listen();
    return entry;
  }

  #listen(): () => void {
    const { service, tail } = this.#options;
    const ways = [service.subscribe((event) => this.#hear(event))];
    if (tail)
      ways.push(
        tail.hurry(),
        tail.subscribe((events) => events.forEach((event) => this.#hearOther(event))),
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
    if (log.events.length === 0 && !(await this.#waits(turnId))) return false;
    if (found && (await this.#isOver(turnId, found.summary))) log.end();
    if (!log.ended) entry.stopLooking = this.#look(turnId, found?.summary.run, log);
    return true;
  }

  #look(turnId: string, run: number | undefined, log: TurnLog): () => void {
    let heard = log.heard;
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      if (log.heard === heard) void this.#lookOnce(turnId, run, { log, isLast: looks >= mostLooksForNothing });
      heard = log.heard;
    }, lookEveryMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #lookOnce(
    turnId: string,
    run: number | undefined,
    { log, isLast }: { readonly log: TurnLog; readonly isLast: boolean },
  ): Promise<void> {
    const found = await findTurn(this.#options.history, turnId, run).catch(() => undefined);
    if (found === undefined) {
      if (isLast && !(await this.#goesOn(turnId))) log.end();
      return;
    }
    log.add(found.events);
    if (await this.#isOver(turnId, found.summary)) log.end();
  }

  /** Where its worker has died, another takes it over. */
  async #isOver(turnId: string, { state }: TurnSummary): Promise<boolean> {
    if (state === 'running') return false;
    return state === 'completed' || !(await this.#goesOn(turnId));
  }

  /** It was handed over, and the record knows nothing of it yet. */
  async #waits(turnId: string): Promise<boolean> {
    const standing = await this.#options.standing?.(turnId);
    return standing !== undefined && standing.refusal === undefined && standing.state !== 'unknown';
  }

  async #goesOn(turnId: string): Promise<boolean> {
    const standing = await this.#options.standing?.(turnId);
    return standing !== undefined && (standing.refusal !== undefined || standing.state === 'running');
  }

  #hear(event: TraceEvent): void {
    const entry = this.#entries.get(event.turn_id);
    if (entry === undefined) return;
    if (this.#options.record && entry.own) this.#options.history.append([event]);
    if (entry.early) entry.early.push(event);
    else entry.log.hear(event);
  }

  #hearOther(event: TraceEvent): void {
    const entry = this.#entries.get(event.turn_id);
    if (entry?.early) entry.early.push(event);
    else entry?.log.add([event]);
  }

  #release(turnId: string, entry: Entry): void {
    entry.followers -= 1;
    if (entry.followers === 0 && !entry.own) this.#forget(turnId, entry);
  }

  #forget(turnId: string, entry: Entry): void {
    entry.stopLooking();
    if (this.#entries.get(turnId) === entry) this.#entries.delete(turnId);
    if (this.#entries.size > 0) return;
    this.#deafen?.();
    this.#deafen = undefined;
  }
}

function ignore(): void {
  // Nothing is looked at.
}
