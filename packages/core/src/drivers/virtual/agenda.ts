/** Owns simulated time: tasks in the order of their times, then of their ranks, then as they were set. Nothing waits; running the next task moves time. */
import type { TimerHandle } from '../../ports/system.ts';

interface Task extends TimerHandle {
  readonly rank: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Agenda {
  now(): number;
  /** Runs `task` at that time, or at once when it has passed. Lower ranks first among tasks of one time. */
  at(time: number, task: () => void, rank?: number): TimerHandle;
  cancel(handle: TimerHandle): void;
  /** Runs everything that is set, and what that sets in turn, until nothing is left or `until` says so. */
  run(until?: () => boolean): void;
}

export function createAgenda(start = 0): Agenda {
  const heap: Task[] = [];
  let time = start;
  let order = 0;
  const before = (a: Task, b: Task): boolean =>
    a.dueAt - b.dueAt < 0 || (a.dueAt === b.dueAt && (a.rank < b.rank || (a.rank === b.rank && a.order < b.order)));
  const push = (task: Task): void => {
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || !before(task, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = task;
  };
  const pop = (): Task | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!last || first === last) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (!left) break;
      const right = heap[child + 1];
      if (right && before(right, left)) child += 1;
      const smaller = heap[child];
      if (!smaller || !before(smaller, last)) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
    return first;
  };
  return {
    now: () => time,
    at(dueAt, run, rank = 0) {
      const task: Task = { dueAt: Math.max(dueAt, time), rank, order: order++, run, cancelled: false };
      push(task);
      return task;
    },
    cancel(handle) {
      (handle as Task).cancelled = true;
    },
    run(until = () => false) {
      for (let task = pop(); task; task = pop()) {
        if (task.cancelled) continue;
        time = Math.max(time, task.dueAt);
        task.run();
        if (until()) return;
      }
    },
  };
}
