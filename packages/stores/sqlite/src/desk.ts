/**
 * Owns on which thread the store writes: on the caller's at first, since a short program is done before a thread has started; on a thread of
 * its own once there is much to write, so that calls are not held up.
 *
 * 1. One task at a time. Each is reported once, at once or later; `undefined` means that nobody has done it.
 * 2. Where no thread can be had, or it is lost, the caller's thread continues.
 */
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Link } from './link.ts';
import { createScribe, type Scribe, type Task } from './scribe.ts';
import type { Settings, SqliteFaultKind } from './settings.ts';
import { type ThreadTask, WritingThread } from './thread.ts';
import type { Answer } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

type Report = (outcome: Answer | undefined) => void;

export class Desk {
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #faults: StoreFaults<SqliteFaultKind>;
  readonly #identity: WriterIdentity;
  readonly #scribe: Scribe;
  #thread: WritingThread | undefined;
  #mayStart = true;
  #writtenHere = 0;
  #handedOver = false;
  #busy = false;
  #holds = 0;

  constructor(settings: Settings, link: Link, faults: StoreFaults<SqliteFaultKind>, identity: WriterIdentity) {
    this.#settings = settings;
    this.#link = link;
    this.#faults = faults;
    this.#identity = identity;
    this.#scribe = createScribe(link, settings.retentionDays, identity);
    if (settings.threadAfterEvents > 0 || settings.readOnly) return;
    this.#start();
    this.#thread?.waitUntilReady();
  }

  get busy(): boolean {
    return this.#busy;
  }

  perform(task: Task, report: Report): void {
    if (this.#thread?.state === 'lost') this.#thread = undefined;
    if (this.#thread?.state === 'ready') this.#performThere(this.#thread, task, report);
    else report(this.#performHere(task));
  }

  /** Blocks until the task under way is reported, as not done where it is not begun. */
  settle(): void {
    this.#thread?.settle();
  }

  /** Blocks until the task under way is done. */
  await(): void {
    this.#thread?.await();
  }

  /** Keeps the process alive until the answer of it is called. */
  hold(): () => void {
    this.#holds += 1;
    this.#thread?.hold(true);
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#thread?.hold(false);
    };
  }

  leaveOut(turnId: string): void {
    this.#scribe.leaveOut(turnId);
  }

  /** Settles and ends the thread: from now on tasks are done at once. */
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
      // No threads in this place: the caller's does it all.
    }
  }

  #performHere(task: Task): Answer {
    try {
      const done = this.#scribe.perform(task);
      this.#writtenHere += done.written;
      if (this.#mayStart && this.#writtenHere > this.#settings.threadAfterEvents) this.#start();
      return done;
    } catch (error) {
      return { kind: this.#link.failed(error) };
    }
  }

  #performThere(there: WritingThread, task: Task, report: Report): void {
    const onAnswer: Report = (answer) => {
      this.#busy = false;
      if (there.state === 'lost') this.#thread = undefined;
      if (answer !== undefined && 'kind' in answer && answer.problem !== undefined) this.#faults.raise(answer.kind, answer.problem);
      if (task.type === 'write' && answer !== undefined && !('kind' in answer)) this.#handedOver = true;
      report(answer);
    };
    try {
      there.post(this.#messageOf(task), onAnswer);
      this.#busy = true;
    } catch {
      // It cannot be handed over; what is wrong with it is found here.
      report(this.#performHere(task));
    }
  }

  #messageOf(task: Task): ThreadTask {
    if (task.type !== 'write') return task;
    const { type, entries, circuits, now } = task;
    const runs = this.#handedOver ? undefined : this.#knownRuns();
    return { type, lines: entries.map(({ body }) => body).join('\n'), circuits, now, ...(runs && { runs }) };
  }

  #knownRuns(): ReturnType<Scribe['runs']> {
    try {
      return this.#scribe.runs();
    } catch {
      return undefined;
    }
  }
}
