/**
 * Owns simulated time: tasks in the order of their times, then of their ranks, then in the order they were added.
 * Nothing waits; running the next task advances time.
 *
 * Invariants
 * 1. Time never goes back; a task set for the past runs next, at the current time.
 * 2. Cancelled tasks never run; they are removed before they outnumber the others, so that the agenda stays as short as its pending tasks.
 */
import type { TimerHandle } from '../../../engine/ports/system.ts';

class Task implements TimerHandle {
  readonly dueAt: number;
  readonly rank: number;
  readonly order: number;
  /** `undefined`: cancelled, or has run. */
  run: (() => void) | undefined;

  constructor(dueAt: number, rank: number, order: number, run: () => void) {
    this.dueAt = dueAt;
    this.rank = rank;
    this.order = order;
    this.run = run;
  }
}

/** Simulated time, and the tasks that are due in it. */
export interface Agenda {
  /** Returns the simulated time in milliseconds. */
  now(): number;
  /** Runs `task` at that time, or at once when it has passed. Lower ranks first among tasks of one time. */
  at(time: number, task: () => void, rank?: number): TimerHandle;
  /** Cancels a task. Does nothing when it has run. */
  cancel(handle: TimerHandle): void;
  /** Runs the next task; returns `false` when there is none. */
  step(): boolean;
  /** Runs all tasks, and those that they add, until none is left or `until` returns true. */
  run(until?: () => boolean): void;
}

/** Fewer cancelled tasks than this are not worth removing. */
const MIN_CANCELLED = 100;

function before(a: Task, b: Task): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && (a.rank < b.rank || (a.rank === b.rank && a.order < b.order)));
}

/**
 * Creates an agenda without tasks.
 *
 * @param start The simulated time to begin at, in milliseconds. @default 0
 */
export function createAgenda(start = 0): Agenda {
  let heap: Task[] = [];
  let time = start;
  let order = 0;
  let cancelled = 0;
  const step = (): boolean => {
    for (let task = pop(heap); task; task = pop(heap)) {
      const { run } = task;
      if (run === undefined) {
        cancelled -= 1;
        continue;
      }
      task.run = undefined;
      if (task.dueAt > time) time = task.dueAt;
      run();
      return true;
    }
    return false;
  };
  return {
    now: () => time,
    at(dueAt, run, rank = 0) {
      const task = new Task(dueAt > time ? dueAt : time, rank, order++, run);
      push(heap, task);
      return task;
    },
    cancel(handle) {
      const task = handle as Task;
      if (task.run === undefined) return;
      task.run = undefined;
      cancelled += 1;
      if (cancelled < MIN_CANCELLED || cancelled * 2 < heap.length) return;
      heap = heapOf(heap.filter(({ run }) => run !== undefined));
      cancelled = 0;
    },
    step,
    run(until) {
      while (step()) if (until?.() === true) return;
    },
  };
}

function push(heap: Task[], task: Task): void {
  let index = heap.length;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Task;
    if (!before(task, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = task;
}

function pop(heap: Task[]): Task | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last !== undefined && first !== last) sink(heap, 0, last);
  return first;
}

/** Moves `task` down from a vacant position to its place. */
function sink(heap: Task[], place: number, task: Task): void {
  const { length } = heap;
  let index = place;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= length) break;
    if (child + 1 < length && before(heap[child + 1] as Task, heap[child] as Task)) child += 1;
    const smaller = heap[child] as Task;
    if (!before(smaller, task)) break;
    heap[index] = smaller;
    index = child;
  }
  heap[index] = task;
}

function heapOf(tasks: Task[]): Task[] {
  for (let index = (tasks.length >> 1) - 1; index >= 0; index--) sink(tasks, index, tasks[index] as Task);
  return tasks;
}
