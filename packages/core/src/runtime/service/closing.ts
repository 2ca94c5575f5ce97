/**
 * Owns closing a service's resources, its store and its runners, within a time limit. Does not own how each of them is closed.
 *
 * 1. The promise settles at the latest when the limit has passed, and never rejects.
 * 2. Every resource that failed to close, or was not closed by then, is reported once; later results are ignored.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { System, TimerHandle } from '../../engine/ports/system.ts';
import type { HubFault } from './event-hub.ts';

export interface OpenPart extends Pick<HubFault, 'component' | 'name'> {
  readonly end: () => unknown;
}

export function endWithin(system: System, limitMs: number, parts: readonly OpenPart[], report: (fault: HubFault) => void): Promise<void> {
  return new Promise((resolve) => {
    const open = new Set(parts);
    let timer: TimerHandle | undefined;
    const settle = (): void => {
      if (timer) system.clearTimer(timer);
      resolve();
    };
    const partClosed = (part: OpenPart, error?: string): void => {
      if (!open.delete(part)) return;
      if (error !== undefined) report({ component: part.component, name: part.name, error });
      if (open.size === 0) settle();
    };
    if (open.size === 0) return resolve();
    if (Number.isFinite(limitMs)) {
      timer = system.setTimer(limitMs, () => {
        for (const part of open) partClosed(part, `not closed after ${limitMs} ms`);
      });
    }
    for (const part of parts) {
      const partFailed = (error: unknown): void => partClosed(part, describeError(error).message);
      try {
        Promise.resolve(part.end()).then(() => partClosed(part), partFailed);
      } catch (error) {
        partFailed(error);
      }
    }
  });
}
