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
import { createStream, type Stream } from './streams.ts';
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

const ANSWER_MS = 20;
const LIMITED_MS = 10;
/** Factor for a bad replica that is slow. */
const SLOW = 10;

/** What faults make of a request: it fails, it is never answered, or it is worked on. */
type Fate = { readonly afterMs: number; readonly status: number } | 'silence' | { readonly factor: number; readonly isLost: boolean };

export class RunningService {
  readonly #service: Service;
  readonly #faults: readonly ScheduledFault[];
  readonly #agenda: Agenda;
  readonly #latency: Stream;
  readonly #routing: Stream;
  readonly #chance: Stream;
  readonly #durationOf: (draw: number) => number;
  readonly #errors = createErrors();
  readonly #replicas: readonly Replica[];
  readonly #limits: readonly Limit[];

  constructor(name: string, service: Service, faults: readonly ScheduledFault[], agenda: Agenda, seed: string) {
    const { servers, queue = 1_000, replicas = 1, rateLimit } = service;
    this.#service = service;
    this.#faults = faults;
    this.#agenda = agenda;
    this.#latency = createStream(seed, `latency ${name}`);
    this.#routing = createStream(seed, `routing ${name}`);
    this.#chance = createStream(seed, `chance ${name}`);
    this.#durationOf = sampler(service.latency);
    this.#replicas = Array.from({ length: replicas }, () => createReplica(agenda, servers, queue));
    this.#limits = limitsOf(rateLimit, faults);
    for (const time of capacityChanges(faults)) agenda.at(time, () => this.#changeCapacity(), -1);
  }

  receive(request: ServiceRequest): void {
    const now = this.#agenda.now();
    const replicas = this.#replicas.length;
    const index = replicas === 1 ? 0 : Math.floor(this.#routing(request.callKey, request.nth) * replicas);
    const fate = this.#fateOf(request, index, now);
    if (fate === 'silence') return;
    if ('status' in fate) return this.#fail(request, fate.afterMs, fate.status);
    if (request.hopeless) return this.#fail(request, ANSWER_MS, 400);
    for (const limit of this.#limits) {
      const retryAfterS = limit(now);
      if (retryAfterS !== undefined) return this.#fail(request, LIMITED_MS, 429, retryAfterS);
    }
    const draw = this.#latency(request.callKey, request.nth);
    const durationMs = (request.durationOf ?? this.#durationOf)(draw) * fate.factor;
    const replica = this.#replicas[index] as Replica;
    if (!replica.take(new RequestedWork(request, durationMs, fate.isLost))) this.#fail(request, ANSWER_MS, 503);
  }

  #fateOf(request: ServiceRequest, index: number, now: number): Fate {
    let factor = 1;
    let isLost = false;
    for (let nth = 0; nth < this.#faults.length; nth++) {
      const fault = this.#faults[nth] as ScheduledFault;
      if (now < fault.fromMs || now >= fault.untilMs) continue;
      const { kind } = fault;
      const unlucky = (share: number): boolean => this.#chance(request.callKey ^ nth, request.nth) < share;
      switch (kind.kind) {
        case 'outage':
          return failureOf(kind);
        case 'flapping':
          if (isDown(fault, now)) return failureOf(kind);
          break;
        case 'black_hole':
          return 'silence';
        case 'random_failures':
          if (unlucky(kind.share)) return failureOf(kind);
          break;
        case 'lost_answers':
          isLost ||= unlucky(kind.share);
          break;
        case 'slow':
          factor *= kind.factor;
          break;
        case 'bad_replica':
          if (kind.replica !== index) break;
          if (kind.how === 'errors') return failureOf({});
          if (kind.how === 'black_hole') return 'silence';
          factor *= SLOW;
          break;
        default:
      }
    }
    return { factor, isLost };
  }

  #fail(request: ServiceRequest, afterMs: number, status: number, retryAfterS?: number): void {
    this.#agenda.at(this.#agenda.now() + afterMs, () => request.fail(this.#errors(status, retryAfterS)));
  }

  #changeCapacity(): void {
    const working = Math.max(1, Math.round(this.#service.servers * capacityAt(this.#faults, this.#agenda.now())));
    for (const replica of this.#replicas) replica.open(working);
  }
}

function failureOf({ answerMs = ANSWER_MS, status = 503 }: { readonly answerMs?: number; readonly status?: number }) {
  return { afterMs: answerMs, status };
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
