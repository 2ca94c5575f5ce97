/** Owns what is missing behind the gateway and why. The tests hold it to be exact: what passes by now fails them as much as what breaks. */
import type { Revision } from './server-suite.ts';

export function expectedFailures(_revision: Revision, _era: 'legacy' | 'modern', _transport: 'stdio' | 'http'): readonly string[] {
  return [];
}
