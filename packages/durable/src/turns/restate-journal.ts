/**
 * Owns the port to the journal over a Restate workflow. Knows nothing of what the steps do.
 *
 * 1. `next` is one race over all that is outstanding: Restate answers what its journal holds next, in the journal's order, as often as it is asked.
 * 2. Restate retries nothing: a step's work never fails, and a step that Restate retried would begin the whole turn again.
 * 3. Results are journaled in the order in which their works resolved.
 * 4. `next` rejects when the attempt is over: anyone who waits for it can end what it began.
 * 5. The way to be cancelled is the first command, so that it is in the same place whatever the turn does.
 */
import type { JournalEntry, TurnJournal } from '@holdfast/core/journal';
import { RestatePromise, type Serde, type WorkflowContext } from '@restatedev/restate-sdk';
import { fittingText, MOST_BYTES } from './fitting-text.ts';
import { createOneByOne } from './one-by-one.ts';
import { TEXT_TYPE, textSerde } from './text-serde.ts';
import { untilAttemptEnd } from './until-attempt-end.ts';

/** The promise of a workflow that its `cancel` handler keeps, with the reason as a string. */
export const CANCEL_PROMISE = 'cancel';

interface Arrived {
  readonly key: string;
  readonly entry: JournalEntry;
}

const CANCEL_KEY = 'cancelled';

/** Restate's own way to end an invocation: the wait that it falls into fails, once, in the same place whenever the turn is run again. */
const isCancelled = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'CancelledError';

const arrivedStep = (key: string, name: string, text: string): Arrived => ({ key, entry: { type: 'step', name, text } });

/** Says with each text whose it is: a promise that is mapped costs more at every wait of the turn. */
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
  const oneByOne = createOneByOne();
  const { attemptCompletedSignal } = workflow.request();
  const arrived = async (): Promise<Arrived> => {
    try {
      return await RestatePromise.race([...outstanding.values()]);
    } catch (error) {
      if (!isCancelled(error)) throw error;
      return { key: CANCEL_KEY, entry: cancelledEntry('Cancelled in Restate') };
    }
  };
  return {
    mostBytes: MOST_BYTES,
    step: (name, work) => {
      const key = `step ${name}`;
      const run = async (): Promise<Arrived> => arrivedStep(key, name, fittingText(await oneByOne(work), `Step ${name}`));
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
      const { key, entry } = await untilAttemptEnd(arrived, attemptCompletedSignal);
      outstanding.delete(key);
      return entry;
    },
  };
};
