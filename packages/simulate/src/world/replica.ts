/** Owns one replica of a service: servers and a queue, first come, first served. Does not own what a request is. */
import type { Agenda } from '@holdfast/core/internal';

/** A request at a replica. */
export interface Work {
  /** How long a server works on it. */
  readonly durationMs: number;
  done(): void;
}

export interface Replica {
  /** Returns `false` when the queue is full. */
  take(work: Work): boolean;
  /** Sets how many servers work from now on. Busy ones finish their request first. */
  open(servers: number): void;
  readonly busy: number;
  readonly queued: number;
}

export function createReplica(agenda: Agenda, initialServers: number, queueLimit: number): Replica {
  let servers = initialServers;
  let busy = 0;
  let queue: Work[] = [];
  let head = 0;
  const begin = (work: Work): void => {
    busy += 1;
    agenda.at(agenda.now() + work.durationMs, () => {
      busy -= 1;
      next();
      work.done();
    });
  };
  const next = (): void => {
    while (busy < servers && head < queue.length) {
      const work = queue[head] as Work;
      head += 1;
      if (head > 1_000 && head * 2 > queue.length) {
        queue = queue.slice(head);
        head = 0;
      }
      begin(work);
    }
  };
  return {
    take(work) {
      if (busy < servers) begin(work);
      else if (queue.length - head >= queueLimit) return false;
      else queue.push(work);
      return true;
    },
    open(count) {
      servers = count;
      next();
    },
    get busy() {
      return busy;
    },
    get queued() {
      return queue.length - head;
    },
  };
}
