/**
 * Owns conversations that wait for an answer of their client.
 *
 * Invariants
 * 1. A conversation waits under a handle that cannot be guessed, and only its principal can take it.
 * 2. The number of conversations and their time are limited: a dropped conversation is cancelled at the server. The principal with the most makes room.
 */
import { randomBytes } from 'node:crypto';
import { SharedSpace } from '../plain/shared-space.ts';
import type { Conversation } from './conversation.ts';

export interface WaitingConversations {
  /** Returns the handle. */
  readonly add: (conversation: Conversation) => string;
  /** Removes and returns a request; `undefined` if there is none for this principal. */
  readonly take: (handle: string, principal: string | undefined) => Conversation | undefined;
  readonly close: () => void;
}

const handlePrefix = 'holdfast-asking:';
const maxWaiting = 1000;

export const isHandle = (requestState: unknown): requestState is string =>
  typeof requestState === 'string' && requestState.startsWith(handlePrefix);

export function createWaitingConversations(limitMs: () => number): WaitingConversations {
  const waiting = new SharedSpace<{ readonly conversation: Conversation; readonly timer: NodeJS.Timeout }>();
  const drop = (handle: string, why: string): void => {
    const one = waiting.get(handle);
    waiting.delete(handle);
    clearTimeout(one?.timer);
    one?.conversation.drop(new Error(why));
  };
  return {
    add(conversation) {
      const handle = `${handlePrefix}${randomBytes(18).toString('base64url')}`;
      const timer = setTimeout(drop, limitMs(), handle, 'The client did not answer in time');
      const value = { conversation, timer: timer.unref() };
      const removed = waiting.put(handle, { owner: conversation.client.principal, size: 1, value }, maxWaiting);
      for (const one of removed === undefined ? [value] : removed.map(([, each]) => each)) {
        clearTimeout(one.timer);
        one.conversation.drop(new Error('Too many requests wait for answers of clients'));
      }
      return handle;
    },
    take(handle, principal) {
      const one = waiting.get(handle);
      if (one === undefined || one.conversation.client.principal !== principal) return undefined;
      waiting.delete(handle);
      clearTimeout(one.timer);
      return one.conversation;
    },
    close() {
      for (const [handle] of waiting.entries()) drop(handle, 'The gateway is closing');
    },
  };
}
