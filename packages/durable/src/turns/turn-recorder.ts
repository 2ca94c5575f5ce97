/**
 * Owns that the events of a finished turn reach the store, whatever is lost at its end: a finished turn never runs again, so that no other worker would write them.
 *
 * 1. A turn ends once its store has the events, or once Restate has them. Restate hands them to the workers until one has stored them.
 * 2. If neither takes them, the turn does not end: Restate repeats its end.
 */
import type { TraceEvent } from '@holdfast/core';
import { fieldsOf, isRecord, parseJsonOrUndefined, waitAtMost } from '@holdfast/core/internal/plain';
import type { Store } from '@holdfast/core/store';
import { TerminalError } from '@restatedev/restate-sdk';
import { readError, throwIfUnavailable } from '../client/read-answer.ts';
import { createIngress } from '../client/ingress.ts';
import { engineUnavailable } from '../engine/engine-unavailable.ts';
import { MAX_BYTES } from './message-size.ts';

/** Where the events of finished turns go. */
export interface TurnRecordOptions {
  /** The store of the service. */
  readonly store: Pick<Store, 'append' | 'flush' | 'status'>;
  /** Restate's ingress, such as `http://127.0.0.1:8080`: it keeps the events while the store does not take them. @default they are only in this process's memory */
  readonly ingressUrl?: string;
  /** Sent with every request. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TurnRecorder {
  /** Resolves once the store or Restate has the events. Rejects with the code `ENGINE_UNAVAILABLE` if neither takes them. */
  settle(turnId: string, trace: readonly TraceEvent[]): Promise<void>;
  /** Stores events that Restate kept. Rejects while the store does not take them. */
  take(turnId: string, text: string): Promise<void>;
}

const SETTLE_MS = 1000;
const TAKE_MS = 5000;
const REQUEST_MS = 10_000;
const NO_HANDLER = 404;
const REFUSED = 400;

const isWritten = async ({ store }: TurnRecordOptions, limitMs: number): Promise<boolean> => {
  const flushed = (async () => store.flush())().then(
    () => true,
    () => false,
  );
  return (await waitAtMost(globalThis, flushed, limitMs)) === true && store.status().ok;
};

/** Messages that fit. Each begins with the turn's first event: it names the run to the store, which keeps every event once. */
export const messagesOf = (trace: readonly TraceEvent[], maxBytes: number = MAX_BYTES): readonly string[] => {
  const [first, ...rest] = trace.map((event) => JSON.stringify(event));
  if (first === undefined) return [];
  const messages: string[][] = [[first]];
  let size = Buffer.byteLength(first);
  for (const text of rest) {
    const bytes = Buffer.byteLength(text) + 1;
    if (size + bytes > maxBytes - 1000) {
      messages.push([first]);
      size = Buffer.byteLength(first);
    }
    messages.at(-1)?.push(text);
    size += bytes;
  }
  return messages.map((texts) => `{"events":[${texts.join(',')}]}`);
};

const isEventOf = (turnId: string, value: unknown): value is TraceEvent =>
  isRecord(value) && value['turn_id'] === turnId && typeof value['seq'] === 'number' && typeof value['event_type'] === 'string';

const eventsOf = (turnId: string, text: string): readonly TraceEvent[] => {
  const { events } = fieldsOf(parseJsonOrUndefined(text));
  if (Array.isArray(events) && events.every((event) => isEventOf(turnId, event))) return events;
  throw new TerminalError('The message has no events of this turn.', { errorCode: REFUSED });
};

/** Without options, events are not waited for. */
export const createTurnRecorder = (options: TurnRecordOptions | undefined, serviceName: string): TurnRecorder => {
  const { ingressUrl, headers = {} } = options ?? {};
  const ingress = ingressUrl === undefined ? undefined : createIngress({ ingressUrl, serviceName, headers, timeoutMs: REQUEST_MS });
  return {
    settle: async (turnId, trace) => {
      if (options === undefined || (await isWritten(options, SETTLE_MS)) || ingress === undefined) return;
      for (const message of messagesOf(trace)) {
        // oxlint-disable-next-line no-await-in-loop -- a turn has one message, unless its trace is very large
        const answer = await ingress.record(turnId, message);
        throwIfUnavailable(answer);
        // Restate has read the workers' services before they had this handler: it does so again when a worker registers.
        if (answer.status >= 300 && answer.status !== NO_HANDLER)
          throw engineUnavailable('fault', `Restate did not accept the events of turn '${turnId}': ${readError(answer).message}`);
      }
    },
    take: async (turnId, text) => {
      const events = eventsOf(turnId, text);
      if (options === undefined) throw new TerminalError('This worker has no store for the events.', { errorCode: REFUSED });
      // Appending at every try would fill the buffer of a store that is away.
      if (!options.store.status().ok) throw new Error('The store does not accept the events yet.');
      options.store.append(events);
      if (!(await isWritten(options, TAKE_MS))) throw new Error('The store did not accept the events in time.');
    },
  };
};
