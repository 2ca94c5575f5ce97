/**
 * Owns the contender that knows the future: the bound of what any policy could reach.
 *
 * 1. It knows when a service is down and how many of its servers work; not how long work takes, nor which request fails by chance.
 * 2. It sends first come, first served, no more than the service works on at a time, and nothing while it is down.
 */
import type { Contender, LabCall, LabRun } from '../run/contender.ts';
import { callContender } from '../run/call-contender.ts';
import { capacityAt } from '../world/capacity.ts';
import { drawSchedule, type Schedule, type ScheduledFault } from '../world/schedule.ts';
import { outcomeOf } from './contender.ts';

interface Waiting {
  readonly call: LabCall;
  readonly done: (succeeded: boolean) => void;
}

export const oracle: Contender = callContender({
  name: 'oracle',
  description: 'knows the future; a bound',
  start(run) {
    const schedule = drawSchedule(run.world, run.seed);
    const gates = new Map<string, (waiting: Waiting) => void>();
    return (call, _turn, done) => {
      const { service } = run.tool(call.plan.toolName);
      let gate = gates.get(service);
      if (!gate) gates.set(service, (gate = gateOf(run, schedule, service)));
      gate({ call, done });
      return undefined;
    };
  },
});

function gateOf(run: LabRun, schedule: Schedule, name: string): (waiting: Waiting) => void {
  const faults = schedule.faultsOf(name);
  const service = run.world.services[name];
  if (!service) throw new RangeError(`oracle: there is no service '${name}'.`);
  const { servers, replicas = 1 } = service;
  const queue: Waiting[] = [];
  let head = 0;
  let out = 0;
  let heldUntil = 0;
  const room = (): number => Math.max(1, Math.round(servers * capacityAt(faults, run.now()))) * replicas;
  const free = (): number => Math.max(heldUntil, upAgainAt(faults, run.now()));
  let timerAt = Infinity;
  const wake = (time: number): void => {
    if (time >= timerAt) return;
    timerAt = time;
    run.setTimer(Math.max(0, time - run.now()), () => {
      timerAt = Infinity;
      pump();
    });
  };
  const pump = (): void => {
    while (head < queue.length && out < room()) {
      const at = free();
      if (at > run.now()) return wake(at);
      const waiting = queue[head];
      head += 1;
      if (waiting) send(waiting);
    }
    // Servers come back without a word.
    if (head < queue.length && out === 0) wake(run.now() + 100);
  };
  const send = (waiting: Waiting): void => {
    out += 1;
    const { call, done } = waiting;
    const { toolName } = call.plan;
    let over = false;
    const end = (again: boolean, succeeded: boolean): void => {
      if (over) return;
      over = true;
      out -= 1;
      run.clearTimer(timer);
      if (again) queue.splice(head, 0, waiting);
      else done(succeeded);
      pump();
    };
    const timer = run.setTimer(run.tool(toolName).timeoutMs, () => end(true, false));
    run.send(call, toolName, (answer) => {
      const outcome = outcomeOf(answer);
      if (outcome.kind === 'rate_limited') heldUntil = run.now() + (outcome.retryAfterMs ?? 0);
      end(outcome.kind !== 'ok' && outcome.kind !== 'permanent', outcome.kind === 'ok');
    });
  };
  for (const { untilMs } of faults) run.setTimer(untilMs, pump);
  return (waiting) => {
    queue.push(waiting);
    pump();
  };
}

/** Now, when it is up. */
function upAgainAt(faults: readonly ScheduledFault[], now: number): number {
  for (const { kind, down } of faults) {
    if (kind.kind !== 'outage' && kind.kind !== 'black_hole' && kind.kind !== 'flapping') continue;
    const span = down.find(({ fromMs, untilMs }) => now >= fromMs && now < untilMs);
    if (span) return span.untilMs;
  }
  return now;
}
