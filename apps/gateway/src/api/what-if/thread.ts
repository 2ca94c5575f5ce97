/** The thread of a what-if: is given a trace and settings, answers once. Started by `ask-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import type { TraceEvent } from '@holdfast/core';
import { replyTo } from './reply.ts';
import type { Question } from './thread-protocol.ts';

const events: TraceEvent[] = [];

parentPort?.on('message', (question: Question) => {
  if ('events' in question) {
    for (const event of question.events) events.push(event);
    return;
  }
  void tell(question);
});

async function tell({ changes }: Extract<Question, { changes: unknown }>): Promise<void> {
  const reply = await replyTo(events, changes);
  parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
  parentPort?.close();
}
