/** Owns the check that what is observed is an event. Its fields may be missing: a trace may come from a damaged file. */
import { refuse } from '../settings/check.ts';

/** @throws TypeError that names the function that was given something else, such as a whole trace or a promise of one */
export function checkEvent(event: unknown, where: string): void {
  const type = (event as { readonly event_type?: unknown } | null | undefined)?.event_type;
  if (typeof type !== 'string') refuse(`${where}: event`, event, 'an event of a trace', '');
}
