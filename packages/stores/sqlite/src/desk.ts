/**
 * Owns on which thread the store writes: on the caller's at first, since a short program is done before a thread has started; on a thread of
 * its own once there is much to write, so that calls are not held up.
 *
 * 1. One task at a time. Each is reported once, at once or later; `undefined` means that nobody has done it.
 * 2. Where no thread can be had, or it is lost, the caller's thread continues.
 */
import type { StoreFaults } from '@holdfast/core/internal/store';
import type { Link } from './link.ts';
import { createScribe, type Task } from './scribe.ts';
import type { SqliteFaultKind, Settings } from './settings.ts';
import { startThread, type WritingThread } from './thread.ts';
import type { Answer } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

type Report = (outcome: Answer | undefined) => void;

export interface Desk {
  readonly busy: boolean;
  perform(task: Task, report: Report): void;
  /** Blocks until the task under way is reported, as not done where it is not begun. */
  settle(): void;
  /** Blocks until the task under way is done. */
  await(): void;
  /** Keeps the process alive until the answer of it is called. */
  hold(): () => void;
  leaveOut(turnId: string): void;
  /** Settles and ends the thread: from now on tasks are done at once. */
  retire(): void;
}

export function createDesk(settings: Settings, link: Link, faults: StoreFaults<SqliteFaultKind>, identity: WriterIdentity): Desk {
  const scribe = createScribe(link, settings.retentionDays, identity);
  let thread: WritingThread | undefined;
  let mayStart = true;
  let writtenHere = 0;
  let handedOver = false;
  let busy = false;
  let holds = 0;

  const start = (): void => {
    mayStart = false;
    try {
      thread = startThread(settings, identity);
      if (holds > 0) thread.hold(true);
    } catch {
      // No threads in this place: the caller's does it all.
    }
  };

  const performHere = (task: Task): Answer => {
    try {
      const done = scribe.perform(task);
      writtenHere += done.written;
      if (mayStart && writtenHere > settings.threadAfterEvents) start();
      return done;
    } catch (error) {
      return { kind: link.failed(error) };
    }
  };

  const performThere = (there: WritingThread, task: Task, report: Report): void => {
    const onAnswer: Report = (answer) => {
      busy = false;
      if (there.state === 'lost') thread = undefined;
      if (answer !== undefined && 'kind' in answer && answer.problem !== undefined) faults.raise(answer.kind, answer.problem);
      if (task.type === 'write' && answer !== undefined && !('kind' in answer)) handedOver = true;
      report(answer);
    };
    try {
      there.post(messageOf(task), onAnswer);
      busy = true;
    } catch {
      // It cannot be handed over; what is wrong with it is found here.
      report(performHere(task));
    }
  };

  const messageOf = (task: Task): Parameters<WritingThread['post']>[0] => {
    if (task.type !== 'write') return task;
    const { type, entries, circuits, now } = task;
    const runs = handedOver ? undefined : knownRuns();
    return { type, lines: entries.map(({ body }) => body).join('\n'), circuits, now, ...(runs && { runs }) };
  };

  const knownRuns = (): ReturnType<typeof scribe.runs> => {
    try {
      return scribe.runs();
    } catch {
      return undefined;
    }
  };

  if (settings.threadAfterEvents === 0 && !settings.readOnly) {
    start();
    thread?.waitUntilReady();
  }

  return {
    get busy() {
      return busy;
    },
    perform(task, report) {
      if (thread?.state === 'lost') thread = undefined;
      if (thread?.state === 'ready') performThere(thread, task, report);
      else report(performHere(task));
    },
    settle: () => thread?.settle(),
    await: () => thread?.await(),
    hold() {
      holds += 1;
      thread?.hold(true);
      return () => {
        holds -= 1;
        if (holds === 0) thread?.hold(false);
      };
    },
    leaveOut: (turnId) => scribe.leaveOut(turnId),
    retire() {
      mayStart = false;
      thread?.settle();
      thread?.close();
      thread = undefined;
    },
  };
}
