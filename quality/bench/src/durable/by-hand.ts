/** The turn of the case as written by hand for the engine: four steps, two of them in parallel, under a deadline. No retries, no circuits, no trace. */
import type { Context, RestatePromise as Durable, WorkflowContext, WorkflowDefinition } from '@restatedev/restate-sdk';
import { RestatePromise, workflow } from '@restatedev/restate-sdk';
import { DEADLINE_MS, tools } from './tools.ts';

const step = (context: Context, name: string, work: () => Promise<unknown>): Durable<unknown> =>
  context.run(name, work, { maxRetryAttempts: 1 });

async function run(context: WorkflowContext): Promise<unknown> {
  const deadline = context.sleep(DEADLINE_MS).map(() => undefined);
  const search = await RestatePromise.race([step(context, 'search', () => tools.search()), deadline]);
  const [prices, seats] = (await RestatePromise.race([
    RestatePromise.all([step(context, 'prices', () => tools.prices(search)), step(context, 'seats', () => tools.seats(search))]),
    deadline,
  ])) ?? [undefined, undefined];
  const itinerary = await RestatePromise.race([step(context, 'itinerary', () => tools.itinerary(prices, seats)), deadline]);
  return { search, prices, seats, itinerary };
}

/** @param journalRetention How long the engine keeps the journal of a finished turn. */
export const byHand = (name: string, journalRetention: number): WorkflowDefinition<string, { readonly run: typeof run }> =>
  workflow({ name, handlers: { run }, options: { journalRetention } });
