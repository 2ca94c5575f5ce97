/** Owns what becomes of a what-if: its answer as JSON, or why there is none. Runs on both sides of the thread. */
import type { TraceEvent } from '@holdfast/core';
import { whatIfAnswer, type WhatIfChanges } from './answer.ts';
import type { Reply } from './thread-protocol.ts';

export async function replyTo(events: readonly TraceEvent[], changes: WhatIfChanges, pause?: () => Promise<void>): Promise<Reply> {
  try {
    const text = JSON.stringify(await whatIfAnswer(events, changes, pause));
    return { bytes: new TextEncoder().encode(text) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: error.message.replace(/^replay: /, '') };
    throw error;
  }
}
