/** Owns the promises about the end: no timer, slot or waiter is left over. */
import type { Case } from './case.ts';

export function checkLeftovers({ play: { leftovers, scene, problems }, say }: Case): void {
  for (const problem of problems) say(problem);
  if (!leftovers) return;
  const { timersAfterWork, timers, held, queued } = leftovers;
  // An advisor is waited for a moment more, also when its call has been answered meanwhile.
  const isThinking = scene.hooks.advisor === 'stalls' || scene.hooks.advisor === 'slow';
  if (timersAfterWork > 0 && !isThinking) say(`${timersAfterWork} timers are left when all work has ended`);
  if (timers > 0) say(`${timers} timers are left when all limits have passed`);
  for (const [name, count] of Object.entries(held)) say(`${name}: ${count} slots are held for ever`);
  for (const [name, count] of Object.entries(queued)) say(`${name}: ${count} calls wait for ever`);
}
