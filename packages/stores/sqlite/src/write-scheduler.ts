/**
 * Owns on which thread the store writes: on the caller's at first, since a short program ends before a thread has started; on a separate thread
 * once there is much to write, so that calls are not delayed.
 *
 * 1. One task at a time. Each is reported once, synchronously or later; `undefined` means that it was not done.
 * 2. If no thread can be started, or it is lost, the caller's thread takes over.
 */
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Link } from './link.ts';
import { createTaskRunner, type TaskRunner, type Task } from './task-runner.ts';
import type { Settings, SqliteFaultKind } from './settings.ts';
import { type ThreadTask, WritingThread } from './thread.ts';
import type { Answer } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

type Report = (outcome: Answer | undefined) => void;

export class WriteScheduler {
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #faults: StoreFaults<SqliteFaultKind>;
  readonly #identity: WriterIdentity;
  readonly #runner: TaskRunner;
  #thread: WritingThread | undefined;
  #mayStart = true;
  #writtenOnCaller = 0;
  #handedOver = false;
  #busy = false;
  #holds = 0;

  constructor(settings: Settings, link: Link, faults: StoreFaults<SqliteFaultKind>, identity: WriterIdentity) {
    this.#settings = settings;
    this.#link = link;
    this.#faults = faults;
    this.#identity = identity;
    this.#runner = createTaskRunner(link, settings, identity);
    if (settings.threadAfterEvents > 0 || settings.readOnly) return;
    this.#start();
    this.#thread?.waitUntilReady();
  }

  get busy(): boolean {
    return this.#busy;
  }

  perform(task: Task, report: Report): void {
    if (this.#thread?.state === 'lost') this.#thread = undefined;
    if (this.#thread?.state === 'ready') this.#performOnThread(this.#thread, task, report);
    else report(this.#performOnCaller(task));
  }

  /** Blocks until the current task is reported; a task that has not begun is reported as not done. */
  settle(): void {
    this.#thread?.settle();
  }

  /** Blocks until the current task is done. */
  await(): void {
    this.#thread?.await();
  }

  /** Keeps the process alive until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    this.#thread?.hold(true);
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#thread?.hold(false);
    };
  }

  ignoreTurn(turnId: string): void {
    this.#runner.ignoreTurn(turnId);
  }

  /** Settles the current task and ends the thread: later tasks run synchronously. */
  retire(): void {
    this.#mayStart = false;
    this.#thread?.settle();
    this.#thread?.close();
    this.#thread = undefined;
  }

  #start(): void {
    this.#mayStart = false;
    try {
      this.#thread = new WritingThread(this.#settings, this.#identity);
      if (this.#holds > 0) this.#thread.hold(true);
    } catch {
      // Threads are not available: the caller's thread does everything.
    }
  }

  #performOnCaller(task: Task): Answer {
    try {
      const done = this.#runner.perform(task);
      this.#writtenOnCaller += done.written;
      if (this.#mayStart && this.#writtenOnCaller > this.#settings.threadAfterEvents) this.#start();
      return done;
    } catch (error) {
      return { kind: this.#link.handleError(error) };
    }
  }

  #performOnThread(thread: WritingThread, task: Task, report: Report): void {
    const onAnswer: Report = (answer) => {
      this.#busy = false;
      if (thread.state === 'lost') this.#thread = undefined;
      if (answer !== undefined && 'kind' in answer && answer.problem !== undefined) this.#faults.raise(answer.kind, answer.problem);
      if (task.type === 'write' && answer !== undefined && !('kind' in answer)) this.#handedOver = true;
      report(answer);
    };
    try {
      thread.post(this.#messageOf(task), onAnswer);
      this.#busy = true;
    } catch {
      // It cannot be posted; performing it here reports the reason.
      report(this.#performOnCaller(task));
    }
  }

  #messageOf(task: Task): ThreadTask {
    if (task.type !== 'write') return task;
    const { type, entries, states, now } = task;
    const runs = this.#handedOver ? undefined : this.#knownRuns();
    return { type, lines: entries.map(({ body }) => body).join('\n'), states, now, ...(runs && { runs }) };
  }

  #knownRuns(): ReturnType<TaskRunner['runs']> {
    try {
      return this.#runner.runs();
    } catch {
      return undefined;
    }
  }
}
