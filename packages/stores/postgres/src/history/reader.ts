/**
 * Owns reading the history: pending writes of this process come first, if possible; the result when the database cannot be read.
 */
import type { Cell, KeptHistory } from '@holdfast/core/history';
import type { HistoryLevel, HistoryReads } from '@holdfast/core/internal';
import type { Database } from '../database/database.ts';
import type { Session } from '../database/session.ts';
import { readSeries } from './cells.ts';
import { readClusters } from './clusters.ts';
import { findTurns, placeBack } from './find-turns.ts';
import type { HistoryLink } from './link.ts';
import * as records from './records.ts';
import type { ToolNumbers } from './tools.ts';
import { factsOf } from './turns.ts';
import type { HistoryWriter } from './writer.ts';

export interface ReaderParts {
  readonly database: Database;
  readonly link: HistoryLink;
  readonly writer: HistoryWriter;
  readonly tools: ToolNumbers;
  /** How long a read waits for earlier writes of this process. */
  readonly maxWaitMs: number;
}

export class HistoryReader {
  readonly schema: string;
  readonly #parts: ReaderParts;
  #closed = false;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.schema = parts.database.schema;
  }

  /** Later reads return empty results. */
  close(): void {
    this.#closed = true;
  }

  /** Rejects if the database cannot be read. */
  async ask<Value>(work: (session: Session) => Promise<Value>): Promise<Value> {
    const { database, link, writer, maxWaitMs } = this.#parts;
    await writer.whenSettled(maxWaitMs);
    try {
      const value = await database.read(work);
      link.recordSuccess('reading');
      return value;
    } catch (error) {
      link.recordFailure(error, 'reading');
      throw error;
    }
  }

  /** Resolves to `otherwise` if the database cannot be read. */
  async read<Value>(work: (session: Session) => Promise<Value>, otherwise: Value): Promise<Value> {
    if (this.#closed || !this.#parts.link.mayRead()) return otherwise;
    return this.ask(work).catch(() => otherwise);
  }

  readTool<Value>(tool: string, work: (session: Session, number: number) => Promise<Value>, otherwise: Value): Promise<Value> {
    return this.read(async (session) => {
      const number = await this.#parts.tools.find(session, this.schema, tool);
      return number === undefined ? otherwise : work(session, number);
    }, otherwise);
  }
}

const noCells: ReadonlyMap<number, Cell> = new Map();

/** Every read, with its empty result. */
export function readsOf(reader: HistoryReader, levels: readonly HistoryLevel[]): Pick<Required<KeptHistory>, HistoryReads> {
  const { schema } = reader;
  return {
    series: (tool, query) => reader.readTool(tool, (session, number) => readSeries(session, { schema, levels }, number, query), noCells),
    turns: (query) => reader.read((session) => findTurns(session, schema, query), []),
    turnsBack: (after, count) => reader.read((session) => placeBack(session, schema, after, count), undefined),
    facts: (turnId, startedAt) => reader.read((session) => factsOf(session, schema, turnId, startedAt), undefined),
    circuitChanges: (tool, since) => reader.readTool(tool, (session, number) => records.circuitChanges(session, schema, number, since), []),
    circuitChangeBefore: (tool, at) =>
      reader.readTool(tool, (session, number) => records.circuitChangeBefore(session, schema, number, at), undefined),
    lastCircuitChanges: () => reader.read((session) => records.lastCircuitChanges(session, schema), []),
    clusters: (limit) => reader.read((session) => readClusters(session, schema, limit), []),
    failures: (tool, since) => reader.readTool(tool, (session, number) => records.failures(session, schema, number, since), []),
    slowCalls: (tool, since, limit) =>
      reader.readTool(tool, (session, number) => records.slowCalls(session, schema, number, { since, limit }), []),
    changes: (limit) => reader.read((session) => records.changes(session, schema, limit), []),
    lastIds: () => reader.read((session) => records.lastIds(session, schema), { change: 0, circuitChange: 0 }),
  };
}
