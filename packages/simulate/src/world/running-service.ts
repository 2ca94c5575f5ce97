/**
 * Owns a running service: what happens to a request, faults included.
 *
 * Invariants
 * 1. The result of a request depends on the seed, its call and its number within the call; not on the caller or on earlier requests, except through queues and
 *    limits.
 * 2. Work is completed even if its caller has given up.
 */
import type { Agenda } from '@holdfast/core/internal';
import type { ServiceError } from '../run/contender.ts';
import { capacityAt, capacityChanges } from './capacity.ts';
import type { WorldFaultKind } from './fault.ts';
import { sampler } from './distribution.ts';
import { createRateWindow } from './rate-window.ts';
import type { Replica, Work } from './replica.ts';
import { createReplica } from './replica.ts';
import type { ScheduledFault } from './schedule.ts';
import { createErrors } from './service-error.ts';
import { createStream } from './streams.ts';
import type { Service } from './world.ts';

/** A request as a service sees it. */
export interface ServiceRequest {
  readonly callKey: number;
  /** Number within its call, from 1. */
  readonly nth: number;
  /** The call can never succeed. */
  readonly hopeless: boolean;
  /** Draws the tool's own work time, if it differs from the service's. */
  readonly durationOf: ((draw: number) => number) | undefined;
  /** Called when the work is done. */
  worked(): void;
  succeed(): void;
  fail(error: ServiceError): void;
}

export interface RunningService {
  receive(request: ServiceRequest): void;
}

const ANSWER_MS = 20;
const LIMITED_MS = 10;
/** Factor for a bad replica that is slow. */
const SLOW = 10;

export function startService(
  name: string,
  service: Service,
  faults: readonly ScheduledFault[],
  agenda: Agenda,
  seed: string,
): RunningService {
  const { servers, queue = 1_000, replicas = 1, rateLimit } = service;
  const latency = createStream(seed, `latency ${name}`);
  const routing = createStream(seed, `routing ${name}`);
  const chance = createStream(seed, `chance ${name}`);
  const durationOf = sampler(service.latency);
  const errors = createErrors();
  const all = Array.from({ length: replicas }, () => createReplica(agenda, servers, queue));
  const limits = limitsOf(rateLimit, faults);
  for (const time of capacityChanges(faults)) {
    const open = (): void => {
      const working = Math.max(1, Math.round(servers * capacityAt(faults, agenda.now())));
      for (const replica of all) replica.open(working);
    };
    agenda.at(time, open, -1);
  }

  const fail = (request: ServiceRequest, afterMs: number, status: number, retryAfterS?: number): void => {
    agenda.at(agenda.now() + afterMs, () => request.fail(errors(status, retryAfterS)));
  };
  const durationMs = (request: ServiceRequest, factor: number): number =>
    (request.durationOf ?? durationOf)(latency(request.callKey, request.nth)) * factor;
  return {
    receive(request) {
      const now = agenda.now();
      const index = replicas === 1 ? 0 : Math.floor(routing(request.callKey, request.nth) * replicas);
      let factor = 1;
      let isLost = false;
      for (let nth = 0; nth < faults.length; nth++) {
        const fault = faults[nth] as ScheduledFault;
        if (now < fault.fromMs || now >= fault.untilMs) continue;
        const { kind } = fault;
        const unlucky = (share: number): boolean => chance(request.callKey ^ nth, request.nth) < share;
        switch (kind.kind) {
          case 'outage':
            return fail(request, kind.answerMs ?? ANSWER_MS, kind.status ?? 503);
          case 'flapping':
            if (isDown(fault, now)) return fail(request, kind.answerMs ?? ANSWER_MS, kind.status ?? 503);
            break;
          case 'black_hole':
            return;
          case 'random_failures':
            if (unlucky(kind.share)) return fail(request, kind.answerMs ?? ANSWER_MS, kind.status ?? 503);
            break;
          case 'lost_answers':
            isLost ||= unlucky(kind.share);
            break;
          case 'slow':
            factor *= kind.factor;
            break;
          case 'bad_replica':
            if (kind.replica !== index) break;
            if (kind.how === 'errors') return fail(request, ANSWER_MS, 503);
            if (kind.how === 'black_hole') return;
            factor *= SLOW;
            break;
          default:
        }
      }
      if (request.hopeless) return fail(request, ANSWER_MS, 400);
      for (const limit of limits) {
        const retryAfterS = limit(now);
        if (retryAfterS !== undefined) return fail(request, LIMITED_MS, 429, retryAfterS);
      }
      const replica = all[index] as Replica;
      if (!replica.take(new RequestedWork(request, durationMs(request, factor), isLost))) fail(request, ANSWER_MS, 503);
    },
  };
}

/** The server's work for a request. */
class RequestedWork implements Work {
  readonly durationMs: number;
  readonly #request: ServiceRequest;
  readonly #isLost: boolean;

  constructor(request: ServiceRequest, durationMs: number, isLost: boolean) {
    this.#request = request;
    this.durationMs = durationMs;
    this.#isLost = isLost;
  }

  done(): void {
    this.#request.worked();
    if (!this.#isLost) this.#request.succeed();
  }
}

function isDown({ down }: ScheduledFault, now: number): boolean {
  return down.some(({ fromMs, untilMs }) => now >= fromMs && now < untilMs);
}

type Limit = (now: number) => number | undefined;

function limitsOf(own: Service['rateLimit'], faults: readonly ScheduledFault[]): readonly Limit[] {
  const limits: Limit[] = own ? [createRateWindow(own)] : [];
  for (const { kind, fromMs, untilMs } of faults) {
    if (kind.kind !== 'rate_limit') continue;
    const limit = createRateWindow(kind);
    limits.push((now) => (now >= fromMs && now < untilMs ? limit(now) : undefined));
  }
  return limits;
}

/** Whether a fault makes a share of the calls impossible, and which ones. */
export function hopelessShare(faults: readonly ScheduledFault[], now: number): number {
  let share = 0;
  for (const { kind, fromMs, untilMs } of faults)
    if (now >= fromMs && now < untilMs && kind.kind === 'permanent') share = Math.max(share, (kind satisfies WorldFaultKind).share);
  return share;
}
