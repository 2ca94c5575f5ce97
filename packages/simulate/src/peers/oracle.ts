/**
 * Owns the contender that knows the future: an upper bound of what a policy can reach.
 *
 * 1. It knows when a service is down, how many of its servers work and which calls can never succeed; not how long work takes, or which request fails by chance.
 * 2. It sends in first-come, first-served order, no more than the service works on at a time, nothing while it is down, and nothing that would come too late.
 * 3. It never risks executing unsafe work twice.
 */
import type { Contender, LabCall, LabRun } from '../run/contender.ts';
import type { WorldCall } from '../run/requests.ts';
import { callContender } from '../run/call-contender.ts';
import { capacityAt } from '../world/capacity.ts';
import { meanOf } from '../world/distribution.ts';
import { drawSchedule, type Schedule, type ScheduledFault } from '../world/schedule.ts';
import { outcomeOf } from './contender.ts';

interface Waiting {
  readonly call: LabCall;
  readonly deadlineAt: number;
  readonly done: (succeeded: boolean) => void;
}

/** Work that is not done after so many times the mean was lost: it occupies no server. */
const LOST_AFTER_MEANS = 7.5;
const MIN_LOST_AFTER_MS = 1_500;
/** With less time left no request is sent. */
const MIN_TIME_MS = 700;
/** It knows better than a refusal that says nothing, or something wrong. */
const MIN_HOLD_MS = 100;
const MAX_HOLD_MS = 10_000;

/** The contender that knows when services are down: an upper bound of what a policy can reach. */
export const oracle: Contender = callContender({
  name: 'oracle',
  description: 'knows the future; a bound',
  sharesProcesses: true,
  start(run) {
    const schedule = drawSchedule(run.world, run.seed);
    const gates = new Map<string, Gate>();
    return (call, { deadlineAt }, done) => {
      const { service } = run.tool(call.plan.toolName);
      let gate = gates.get(service);
      if (!gate) gates.set(service, (gate = new Gate(run, schedule, service)));
      gate.enter({ call, deadlineAt, done });
      return undefined;
    };
  },
});

class Gate {
  readonly #run: LabRun;
  readonly #faults: readonly ScheduledFault[];
  readonly #servers: number;
  readonly #lostAfterMs: number;
  readonly #minTimeMs: number;
  #queue: Waiting[] = [];
  #head = 0;
  #out = 0;
  #heldUntil = 0;
  #wakeAt = Infinity;

  constructor(run: LabRun, schedule: Schedule, name: string) {
    const service = run.world.services[name];
    if (!service) throw new RangeError(`oracle: there is no service '${name}' in world '${run.world.name}'. Name one of its services.`);
    this.#run = run;
    this.#faults = schedule.faultsOf(name);
    this.#servers = service.servers * (service.replicas ?? 1);
    const meanMs = meanOf(service.latency);
    this.#lostAfterMs = Math.max(MIN_LOST_AFTER_MS, LOST_AFTER_MEANS * meanMs);
    this.#minTimeMs = Math.max(MIN_TIME_MS, meanMs);
  }

  enter(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#pump();
  }

  #pump(): void {
    const now = (): number => this.#run.now();
    while (this.#head < this.#queue.length && this.#out < this.#room()) {
      const at = Math.max(this.#heldUntil, upAgainAt(this.#faults, now()));
      if (at > now()) return this.#wake(at);
      const waiting = this.#queue[this.#head++];
      if (waiting && waiting.deadlineAt - now() >= this.#minTimeMs) this.#send(waiting);
    }
    // Servers return without notice.
    if (this.#head < this.#queue.length) this.#wake(now() + 100);
    if (this.#head > 1000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }

  #room(): number {
    return Math.max(1, Math.round(this.#servers * capacityAt(this.#faults, this.#run.now())));
  }

  #wake(time: number): void {
    if (time >= this.#wakeAt) return;
    this.#wakeAt = time;
    this.#run.setTimer(time - this.#run.now(), () => {
      this.#wakeAt = Infinity;
      this.#pump();
    });
  }

  #send(waiting: Waiting): void {
    const run = this.#run;
    const { call, done } = waiting;
    const { timeoutMs, effect } = run.tool(call.plan.toolName);
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.#out -= 1;
      isHeld = false;
      run.clearTimer(lost);
    };
    const tryAgain = (): void => {
      if ((call as WorldCall).hopeless) return done(false);
      this.#queue.splice(this.#head, 0, waiting);
      this.#pump();
    };
    this.#out += 1;
    const lost = run.setTimer(this.#lostAfterMs, () => {
      release();
      this.#pump();
    });
    const limit = run.setTimer(timeoutMs, () => {
      hangUp();
      release();
      if (effect === 'unsafe') done(false);
      else tryAgain();
    });
    const hangUp = run.send(call, call.plan.toolName, (answer) => {
      run.clearTimer(limit);
      release();
      const outcome = outcomeOf(answer);
      if (outcome.kind === 'rate_limited')
        this.#heldUntil = run.now() + Math.min(MAX_HOLD_MS, Math.max(MIN_HOLD_MS, outcome.retryAfterMs ?? 0));
      if (outcome.kind !== 'ok' && outcome.kind !== 'permanent') return tryAgain();
      done(outcome.kind === 'ok');
      this.#pump();
    });
  }
}

/** Now, if the service is up. */
function upAgainAt(faults: readonly ScheduledFault[], now: number): number {
  for (const { kind, down } of faults) {
    if (kind.kind !== 'outage' && kind.kind !== 'black_hole' && kind.kind !== 'flapping') continue;
    const span = down.find(({ fromMs, untilMs }) => now >= fromMs && now < untilMs);
    if (span) return span.untilMs;
  }
  return now;
}
