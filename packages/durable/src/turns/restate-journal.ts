/**
 * Owns the port to the journal over a Restate workflow. Knows nothing of what the steps do.
 *
 * 1. `next` is one race over all that is outstanding: Restate answers what its journal holds next, in the journal's order, as often as it is asked.
 * 2. Restate retries nothing: a step's work never fails, and a step that Restate retried would begin the whole turn again.
 * 3. The way to be cancelled is the first command, so that it is in the same place whatever the turn does.
 */
import type { JournalEntry, TurnJournal } from '@holdfast/core/journal';
import { RestatePromise, type WorkflowContext, type internal } from '@restatedev/restate-sdk';
import { fittingText } from './fitting-text.ts';
import { textSerde } from './text-serde.ts';

/** The promise of a workflow that its `cancel` handler keeps. */
export const CANCEL_PROMISE = 'cancel';

interface Arrived {
  readonly key: string;
  readonly entry: JournalEntry;
}

const RUN_OPTIONS = { serde: textSerde };
const CANCEL_KEY = 'cancelled';

const cancelledEntry = (reason: string | undefined): Arrived => ({
  key: CANCEL_KEY,
  entry: reason === undefined || reason === '' ? { type: 'cancelled' } : { type: 'cancelled', reason },
});

/** By the workflow's `cancel` handler, or by whoever operates Restate. */
const cancellation = (workflow: WorkflowContext): RestatePromise<Arrived> => {
  const asked = workflow
    .promise<string>(CANCEL_PROMISE, textSerde)
    .get()
    .map((reason) => cancelledEntry(reason));
  // The SDK marks it as experimental, and gives it to every context.
  const byEngine = (workflow as WorkflowContext & internal.ContextInternal)
    .cancellation()
    .map(() => cancelledEntry('Cancelled in Restate'));
  return RestatePromise.race([asked, byEngine]);
};

export const createRestateJournal = (workflow: WorkflowContext): TurnJournal => {
  const outstanding = new Map<string, RestatePromise<Arrived>>([[CANCEL_KEY, cancellation(workflow)]]);
  return {
    step: (name, work) => {
      const key = `step ${name}`;
      const run = workflow.run(name, async () => fittingText(await work(), `Step ${name}`), RUN_OPTIONS);
      outstanding.set(
        key,
        run.map((text, failure): Arrived => {
          if (failure !== undefined) throw failure;
          return { key, entry: { type: 'step', name, text: text ?? '' } };
        }),
      );
    },
    timer: (name, delayMs) => {
      const key = `timer ${name}`;
      outstanding.set(
        key,
        workflow.sleep(Math.ceil(delayMs), name).map((): Arrived => ({ key, entry: { type: 'timer', name } })),
      );
    },
    next: async () => {
      const { key, entry } = await RestatePromise.race([...outstanding.values()]);
      outstanding.delete(key);
      return entry;
    },
  };
};
