/** Owns the guarantees about the end: no timer, slot or waiter is left over. */
import type { Case } from './case.ts';

export function checkLeftovers({ play: { leftovers, scene, problems }, fail }: Case): void {
  for (const problem of problems) fail(problem);
  if (!leftovers) return;
  const { timersAfterWork, timers, held, queued } = leftovers;
  // An advisor may take a moment longer, even if its call has been answered meanwhile.
  const isThinking = scene.hooks.advisor === 'stalls' || scene.hooks.advisor === 'slow';
  if (timersAfterWork > 0 && !isThinking) fail(`${timersAfterWork} timers are left when all work has ended`);
  if (timers > 0) fail(`${timers} timers are left when all limits have passed`);
  for (const [name, count] of Object.entries(held)) fail(`${name}: ${count} slots are held for ever`);
  for (const [name, count] of Object.entries(queued)) fail(`${name}: ${count} calls wait for ever`);
}
