/**
 * Owns the store's side of its thread: starting it, one task at a time, waiting for it without the event loop, its end.
 *
 * 1. Each task is answered once: with what became of it, or with `undefined` when it was not begun or the thread is gone.
 * 2. The thread keeps the process alive only while it is held.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Settings } from './settings.ts';
import { place, turnOf, type Answer, type Message, type ThreadStart } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

/** A transaction is milliseconds; a thread that is not done after this is taken for lost. */
const longestTaskMs = 30_000;
const longestCloseMs = 1_000;
/** The thread may be without a processor. */
const longestBeginMs = 100;

/** The sources run unbuilt too, so the thread's file has the ending of this one. */
const unbuilt = import.meta.url.endsWith('.ts');
const threadFile = new URL(unbuilt ? './writing-thread.ts' : './writing-thread.js', import.meta.url);
/** Of its own, since what the program preloads has no business in this thread. */
const nodeOptions = unbuilt ? ['--conditions=@holdfast/source'] : [];

type Unnumbered<One> = One extends unknown ? Omit<One, 'task'> : never;

export interface WritingThread {
  readonly state: 'starting' | 'ready' | 'lost';
  /** Throws what cannot be handed over. */
  post(message: Exclude<Unnumbered<Message>, { type: 'close' }>, answered: (answer: Answer | undefined) => void): void;
  /** Takes the task back or waits until it is done; either way it is answered on return. */
  settle(): void;
  /** Waits until the task is done, for a while where it is not begun. */
  await(): void;
  /** Whether it keeps the process alive. */
  hold(held: boolean): void;
  /** Returns when it has let go of the file. */
  close(): void;
  /** Blocks until it is ready or lost. */
  waitUntilReady(): void;
}

/** Throws where threads are not to be had. */
export function startThread(given: Settings, identity: WriterIdentity): WritingThread {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const { port1: port, port2: theirs } = new MessageChannel();
  let lost = false;
  let tasks = 0;
  let expected: ((answer: Answer | undefined) => void) | undefined;

  const answer = (given: Answer | undefined): void => {
    const answered = expected;
    expected = undefined;
    answered?.(given);
  };

  const lose = (): void => {
    if (lost) return;
    lost = true;
    port.close();
    void worker.terminate();
    answer(undefined);
  };

  const turn = (): number => Atomics.load(shared, place.turn);

  const settings = { ...given };
  // A function cannot be handed over.
  delete settings.onFault;
  const start: ThreadStart = { settings, identity, shared, port: theirs };
  const worker = new Worker(threadFile, { name: 'holdfast-store', workerData: start, transferList: [theirs], execArgv: nodeOptions });
  worker.on('error', lose).on('exit', lose).unref();
  port.on('message', answer);
  port.unref();

  const give = (message: Unnumbered<Message>): void => {
    tasks += 1;
    // It answers a moment before it says that it is idle.
    Atomics.wait(shared, place.turn, turnOf.working, longestTaskMs);
    Atomics.store(shared, place.task, tasks);
    Atomics.store(shared, place.turn, turnOf.posted);
    try {
      port.postMessage({ ...message, task: tasks });
    } catch (error) {
      Atomics.store(shared, place.turn, turnOf.idle);
      throw error;
    }
  };

  const awaitAnswer = (): void => {
    Atomics.wait(shared, place.turn, turnOf.working, longestTaskMs);
    const received = receiveMessageOnPort(port) as { readonly message: Answer } | undefined;
    if (received === undefined) lose();
    else answer(received.message);
  };

  return {
    get state() {
      if (lost) return 'lost';
      return turn() === turnOf.starting ? 'starting' : 'ready';
    },
    post(message, answered) {
      give(message);
      expected = answered;
    },
    settle() {
      if (expected === undefined) return;
      if (Atomics.compareExchange(shared, place.turn, turnOf.posted, turnOf.idle) === turnOf.posted) {
        answer(undefined);
        return;
      }
      awaitAnswer();
    },
    await() {
      if (expected === undefined) return;
      Atomics.wait(shared, place.turn, turnOf.posted, longestBeginMs);
      if (turn() !== turnOf.posted) awaitAnswer();
    },
    hold(held) {
      if (lost) return;
      if (held) port.ref();
      else port.unref();
    },
    close() {
      if (lost) return;
      if (turn() !== turnOf.starting) {
        give({ type: 'close' });
        Atomics.wait(shared, place.turn, turnOf.posted, longestCloseMs);
        Atomics.wait(shared, place.turn, turnOf.working, longestCloseMs);
      }
      lose();
    },
    waitUntilReady() {
      Atomics.wait(shared, place.turn, turnOf.starting, longestTaskMs);
    },
  };
}
