/**
 * Owns suspended requests to servers of the legacy era: they wait for answers of the client, whose own request has ended.
 *
 * Invariants
 * 1. A request waits under a handle that cannot be guessed, and only its principal can take it.
 * 2. At most `limit` requests wait, each at most `limitMs`: a dropped request is cancelled at the server. The principal with the most makes room.
 */
import { randomBytes } from 'node:crypto';
import type { System, TimerHandle } from '@holdfast/core';
import { SharedSpace } from '../plain/shared-space.ts';
import type { InteractiveRequest } from './interactive-request.ts';

export interface SuspendedOptions {
  readonly system: System;
  /** Read at each use. */
  readonly limitMs: () => number;
  /** @default 1000 */
  readonly limit?: number;
}

interface Waiting {
  readonly request: InteractiveRequest;
  readonly principal: string | undefined;
  /** The name under which the tool is offered. */
  readonly tool: string;
  /** Its client is being asked, which has a time limit: the handle needs none. */
  readonly isAttended: boolean;
}

export interface Suspended {
  /** Returns the handle. */
  add(waiting: Waiting): string;
  /** Removes and returns a request; `undefined` if there is none for this principal. */
  take(handle: string, principal: string | undefined): Waiting | undefined;
  drop(handle: string, reason: Error): void;
  readonly size: number;
  close(): void;
}

const handlePrefix = 'holdfast-waiting:';

export const isHandle = (requestState: string): boolean => requestState.startsWith(handlePrefix);

export function suspendedRequests({ system, limitMs, limit = 1000 }: SuspendedOptions): Suspended {
  const waiting = new SharedSpace<Waiting & { readonly timer: TimerHandle | undefined }>();
  const remove = (handle: string): ReturnType<typeof waiting.get> => {
    const one = waiting.get(handle);
    waiting.delete(handle);
    if (one?.timer !== undefined) system.clearTimer(one.timer);
    return one;
  };
  const drop = (handle: string, reason: Error): void => remove(handle)?.request.cancel(reason);
  const cancelAll = (dropped: readonly { readonly timer: TimerHandle | undefined; readonly request: InteractiveRequest }[]): void => {
    for (const { timer, request } of dropped) {
      if (timer !== undefined) system.clearTimer(timer);
      request.cancel(suspensionLost('Too many requests wait for answers of clients'));
    }
  };
  return {
    add(one) {
      const handle = `${handlePrefix}${randomBytes(18).toString('base64url')}`;
      const timer = one.isAttended ? undefined : system.setTimer(limitMs(), () => drop(handle, lateAnswer()), true);
      const value = { ...one, timer };
      const removed = waiting.put(handle, { owner: one.principal, size: 1, value }, limit);
      cancelAll(removed === undefined ? [value] : removed.map(([, each]) => each));
      return handle;
    },
    take(handle, principal) {
      const one = waiting.get(handle);
      if (one === undefined || one.principal !== principal) return undefined;
      return remove(handle);
    },
    drop,
    get size() {
      return waiting.count;
    },
    close() {
      for (const [handle] of waiting.entries()) drop(handle, suspensionLost('The gateway is closing'));
    },
  };
}

const lateAnswer = (): Error => suspensionLost('The client did not answer the question of the server in time');

function suspensionLost(message: string): Error {
  return Object.assign(new Error(message), { name: 'AbortError' });
}
