/**
 * Owns the store's thread: performs one task after another and posts the result. It acts on messages only.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { TraceEvent } from '@holdfast/core';
import { checkpoint, endCheckpoints } from './history/checkpoint.ts';
import { createLink } from './link.ts';
import type { SharedTask } from './shared-thread.ts';
import { createTaskRunner, type Task } from './task-runner.ts';
import { place, turnOf, type Answer, type Message, type Prevented, type ThreadStart } from './thread-protocol.ts';

const { settings, identity, shared, port } = workerData as ThreadStart;
let fault: Prevented | undefined;
const link = createLink(settings, { raise: (kind, problem) => (fault = { kind, problem }) });
const runner = createTaskRunner(link, settings, identity);

function passTurn(turn: number): void {
  Atomics.store(shared, place.turn, turn);
  Atomics.notify(shared, place.turn);
}

function taskOf(message: Exclude<Message, { type: 'close' }>): Task {
  if (message.type !== 'write') return message;
  const { lines, states, now } = message;
  const bodies = lines === '' ? [] : lines.split('\n');
  return { type: 'write', entries: bodies.map((body) => ({ event: JSON.parse(body) as TraceEvent, body })), states, now };
}

function answerTo(message: Exclude<Message, { type: 'close' }>): Answer {
  fault = undefined;
  try {
    if (message.type === 'write' && message.runs) runner.learn(message.runs);
    return runner.perform(taskOf(message));
  } catch (error) {
    const kind = link.handleError(error);
    return fault ?? { kind };
  }
}

port.on('message', (message: Message) => {
  if (Atomics.load(shared, place.task) !== message.task) return;
  if (Atomics.compareExchange(shared, place.turn, turnOf.posted, turnOf.working) !== turnOf.posted) return;
  if (message.type === 'close') {
    link.close();
    port.close();
    passTurn(turnOf.closed);
    return;
  }
  port.postMessage(answerTo(message));
  passTurn(turnOf.idle);
});

parentPort?.on('message', ({ type, path }: SharedTask) => {
  try {
    if (type === 'checkpoint') checkpoint(path);
    else endCheckpoints(path);
  } catch {
    // The next one may succeed.
  }
  parentPort?.postMessage(path);
});

passTurn(turnOf.idle);
