/** The worker thread of a task: receives a trace and a task, and answers once. Started by `turn-work.ts`. */
import { parentPort } from 'node:worker_threads';
import type { TraceEvent } from '@holdfast/core';
import { doTask } from './do-task.ts';
import type { TaskMessage, TurnTask } from './protocol.ts';

const events: TraceEvent[] = [];

/** About one second of work. */
const maxUnknown = 20_000;

parentPort?.on('message', (question: TaskMessage) => {
  if ('events' in question) for (const event of question.events) events.push(event);
  else void sendAnswer(question.task);
});

async function sendAnswer(task: TurnTask): Promise<void> {
  const reply = await doTask(events, task, { maxUnknown });
  parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
  parentPort?.close();
}
