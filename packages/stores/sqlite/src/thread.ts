/**
 * Owns the store's side of its thread: starting it, one task at a time, waiting for it without the event loop, its end.
 *
 * 1. Each task is answered once: with its result, or with `undefined` if it was not begun or the thread is gone.
 * 2. The thread keeps the process alive only while it is held.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Settings } from './settings.ts';
import { shareThread } from './shared-thread.ts';
import { place, turnOf, type Answer, type Message, type ThreadStart } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

/** A transaction takes milliseconds; a thread that takes longer than this counts as lost. */
const maxTaskMs = 30_000;
const maxCloseMs = 1_000;
/** The thread may have to wait for a processor. */
const maxBeginMs = 100;

/** The sources also run without a build, so the thread's file has the extension of this one. */
const unbuilt = import.meta.url.endsWith('.ts');
const threadFile = new URL(unbuilt ? './writing-thread.ts' : './writing-thread.js', import.meta.url);
/** Set explicitly, so that the thread does not load what the program preloads. */
const nodeOptions = unbuilt ? ['--conditions=@holdfast/source'] : [];

type Unnumbered<One> = One extends unknown ? Omit<One, 'task'> : never;

export type ThreadTask = Exclude<Unnumbered<Message>, { type: 'close' }>;
type OnAnswer = (answer: Answer | undefined) => void;

export class WritingThread {
  readonly #shared = new Int32Array(new SharedArrayBuffer(8));
  readonly #port: MessagePort;
  readonly #worker: Worker;
  #lost = false;
  #tasks = 0;
  #expected: OnAnswer | undefined;

  /** Throws if threads are not available. */
  constructor(given: Settings, identity: WriterIdentity) {
    const { port1, port2 } = new MessageChannel();
    const settings = { ...given };
    // A function cannot be posted.
    delete settings.onFault;
    const start: ThreadStart = { settings, identity, shared: this.#shared, port: port2 };
    this.#port = port1;
    this.#worker = new Worker(threadFile, {
      name: 'holdfast-store',
      workerData: start,
      transferList: [port2],
      execArgv: nodeOptions,
    });
    this.#worker
      .on('error', () => this.#lose())
      .on('exit', () => this.#lose())
      .unref();
    shareThread(this.#worker);
    this.#port.on('message', (answer: Answer) => this.#answer(answer));
    this.#port.unref();
  }

  get state(): 'starting' | 'ready' | 'lost' {
    if (this.#lost) return 'lost';
    return this.#turn === turnOf.starting ? 'starting' : 'ready';
  }

  /** Throws if the message cannot be posted. */
  post(message: ThreadTask, answered: OnAnswer): void {
    this.#give(message);
    this.#expected = answered;
  }

  /** Withdraws the task or waits until it is done; either way it is answered on return. */
  settle(): void {
    if (this.#expected === undefined) return;
    if (Atomics.compareExchange(this.#shared, place.turn, turnOf.posted, turnOf.idle) === turnOf.posted) this.#answer(undefined);
    else this.#awaitAnswer();
  }

  /** Waits until the task is done; a task that has not begun is waited for only a moment. */
  await(): void {
    if (this.#expected === undefined) return;
    this.#waitWhile(turnOf.posted, maxBeginMs);
    if (this.#turn !== turnOf.posted) this.#awaitAnswer();
  }

  /** Whether it keeps the process alive. */
  hold(held: boolean): void {
    if (this.#lost) return;
    if (held) this.#port.ref();
    else this.#port.unref();
  }

  /** Returns when it has closed the file. */
  close(): void {
    if (this.#lost) return;
    if (this.#turn !== turnOf.starting) {
      this.#give({ type: 'close' });
      this.#waitWhile(turnOf.posted, maxCloseMs);
      this.#waitWhile(turnOf.working, maxCloseMs);
    }
    this.#lose();
  }

  /** Blocks until it is ready or lost. */
  waitUntilReady(): void {
    this.#waitWhile(turnOf.starting, maxTaskMs);
  }

  get #turn(): number {
    return Atomics.load(this.#shared, place.turn);
  }

  #waitWhile(turn: number, maxMs: number): void {
    Atomics.wait(this.#shared, place.turn, turn, maxMs);
  }

  #give(message: Unnumbered<Message>): void {
    this.#tasks += 1;
    // It answers a moment before it becomes idle.
    this.#waitWhile(turnOf.working, maxTaskMs);
    Atomics.store(this.#shared, place.task, this.#tasks);
    Atomics.store(this.#shared, place.turn, turnOf.posted);
    try {
      this.#port.postMessage({ ...message, task: this.#tasks });
    } catch (error) {
      Atomics.store(this.#shared, place.turn, turnOf.idle);
      throw error;
    }
  }

  #awaitAnswer(): void {
    this.#waitWhile(turnOf.working, maxTaskMs);
    const received = receiveMessageOnPort(this.#port) as { readonly message: Answer } | undefined;
    if (received === undefined) this.#lose();
    else this.#answer(received.message);
  }

  #answer(given: Answer | undefined): void {
    const answered = this.#expected;
    this.#expected = undefined;
    answered?.(given);
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#port.close();
    void this.#worker.terminate();
    this.#answer(undefined);
  }
}
