/**
 * Owns the journal port over a Restate workflow.
 *
 * 1. `next` is one race over everything outstanding: Restate returns the next entry of its journal, in the same order at every replay.
 * 2. Restate retries no step: the work of a step never fails, since a retry by Restate would start the turn again.
 * 3. Results are journaled in the order in which the work resolved.
 * 4. `next` rejects when the attempt ends, so that its caller can abort what it started.
 * 5. The cancel promise is the first command, so that its place in the journal does not depend on the turn.
 */
import type { JournalEntry, TurnJournal } from '@holdfast/core/journal';
import { RestatePromise, type Serde, type WorkflowContext } from '@restatedev/restate-sdk';
import { fittingText, MAX_BYTES } from './message-size.ts';
import { createOrderedWork } from './in-order.ts';
import { TEXT_TYPE, textSerde } from './text-serde.ts';
import { untilAttemptEnd } from './until-attempt-end.ts';

/** The workflow promise that the `cancel` handler resolves with the reason as a string. */
export const CANCEL_PROMISE = 'cancel';

interface Arrived {
  readonly key: string;
  readonly entry: JournalEntry;
}

const CANCEL_KEY = 'cancelled';

/** Restate's cancellation of an invocation: the current wait fails once, in the same place at every replay. */
const isCancelled = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'CancelledError';

const arrivedStep = (key: string, name: string, text: string): Arrived => ({ key, entry: { type: 'step', name, text } });

/** Returns the source with each text: a mapped promise would cost more at every wait of the turn. */
const stepSerde = (key: string, name: string): Serde<Arrived> => ({
  contentType: TEXT_TYPE,
  serialize: ({ entry }) => textSerde.serialize(entry.type === 'step' ? entry.text : ''),
  deserialize: (bytes) => arrivedStep(key, name, textSerde.deserialize(bytes)),
});

const cancelledEntry = (reason: string): JournalEntry => (reason === '' ? { type: 'cancelled' } : { type: 'cancelled', reason });

const cancelSerde: Serde<Arrived> = {
  contentType: TEXT_TYPE,
  serialize: ({ entry }) => textSerde.serialize(entry.type === 'cancelled' ? (entry.reason ?? '') : ''),
  deserialize: (bytes) => ({ key: CANCEL_KEY, entry: cancelledEntry(textSerde.deserialize(bytes)) }),
};

/** Creates the journal of one turn over the context of its Restate workflow. `next` also returns an entry when the turn is cancelled. */
export const createRestateJournal = (workflow: WorkflowContext): TurnJournal => {
  const outstanding = new Map<string, RestatePromise<Arrived>>([[CANCEL_KEY, workflow.promise(CANCEL_PROMISE, cancelSerde).get()]]);
  const inOrder = createOrderedWork();
  const { attemptCompletedSignal } = workflow.request();
  const nextArrival = async (): Promise<Arrived> => {
    try {
      return await RestatePromise.race([...outstanding.values()]);
    } catch (error) {
      if (!isCancelled(error)) throw error;
      return { key: CANCEL_KEY, entry: cancelledEntry('Cancelled in Restate') };
    }
  };
  return {
    maxBytes: MAX_BYTES,
    step: (name, work) => {
      const key = `step ${name}`;
      const run = async (): Promise<Arrived> => arrivedStep(key, name, fittingText(await inOrder(work), `Step ${name}`));
      outstanding.set(key, workflow.run(name, run, { serde: stepSerde(key, name) }));
    },
    timer: (name, delayMs) => {
      const key = `timer ${name}`;
      const sleep = workflow.sleep(Math.ceil(delayMs), name);
      outstanding.set(
        key,
        sleep.map((): Arrived => ({ key, entry: { type: 'timer', name } })),
      );
    },
    next: async () => {
      const { key, entry } = await untilAttemptEnd(nextArrival, attemptCompletedSignal);
      outstanding.delete(key);
      return entry;
    },
  };
};
