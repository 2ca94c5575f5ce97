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
import { createCaches, type Caches } from './cold-cache.ts';
import { sampler } from './distribution.ts';
import { type Failure, fateOf, isGone } from './fate.ts';
import { type Limit, limitsOf } from './limits.ts';
import type { Replica, Work } from './replica.ts';
import { createReplica } from './replica.ts';
import type { ScheduledFault } from './schedule.ts';
import { createErrors } from './service-error.ts';
import { createStream, type Stream } from './streams.ts';
import type { RetryAfter } from './limit-types.ts';
import type { Service } from './world.ts';

/** A request as a service sees it. */
export interface ServiceRequest {
  readonly callKey: number;
  /** Number within its call, from 1. */
  readonly nth: number;
  /** How the call fails that can never succeed. */
  readonly hopeless: Failure | undefined;
  /** Draws the tool's own work time, if it differs from the service's. */
  readonly durationOf: ((draw: number) => number) | undefined;
  /** Called when the work is done. */
  worked(): void;
  succeed(): void;
  fail(error: ServiceError): void;
}

const QUEUE_FULL_MS = 20;
const LIMITED_MS = 10;

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
  readonly #caches: Caches;

  constructor(name: string, service: Service, faults: readonly ScheduledFault[], agenda: Agenda, seed: string) {
    const { servers, queue = 1_000, replicas = 1 } = service;
    this.#service = service;
    this.#faults = faults;
    this.#agenda = agenda;
    this.#latency = createStream(seed, `latency ${name}`);
    this.#routing = createStream(seed, `routing ${name}`);
    this.#chance = createStream(seed, `chance ${name}`);
    this.#durationOf = sampler(service.latency);
    this.#replicas = Array.from({ length: replicas }, () => createReplica(agenda, servers, queue));
    this.#limits = limitsOf(service, faults);
    this.#caches = createCaches(faults);
    for (const time of capacityChanges(faults)) agenda.at(time, () => this.#changeCapacity(), -1);
  }

  receive(request: ServiceRequest): void {
    const now = this.#agenda.now();
    const index = this.#route(request, now);
    if (index === undefined) return this.#fail(request, QUEUE_FULL_MS, 503);
    const { callKey, nth, hopeless } = request;
    const fate = fateOf(this.#faults, index, now, (share, fault) => this.#chance(callKey ^ fault, nth) < share);
    if (fate === 'silence') return;
    if ('status' in fate) return this.#fail(request, fate.afterMs, fate.status, fate.retryAfterS);
    if (hopeless) return this.#fail(request, hopeless.afterMs, hopeless.status, hopeless.retryAfterS);
    for (const limit of this.#limits) {
      const retryAfterS = limit(now);
      if (retryAfterS !== undefined) return this.#fail(request, LIMITED_MS, 429, retryAfterS);
    }
    const draw = this.#latency(callKey, nth);
    const durationMs = (request.durationOf ?? this.#durationOf)(draw) * fate.factor * this.#caches.factor(now);
    const work = new RequestedWork(request, durationMs, fate.isLost, () => this.#caches.served(this.#agenda.now()));
    if (this.#replicas[index]?.take(work) !== true) this.#fail(request, QUEUE_FULL_MS, 503);
  }

  /** The replica that a request goes to; `undefined` if all are gone. */
  #route({ callKey, nth }: ServiceRequest, now: number): number | undefined {
    const count = this.#replicas.length;
    if (count === 1) return isGone(this.#faults, 0, now) ? undefined : 0;
    const chance = this.#routing(callKey, nth);
    const drawn = Math.floor(chance * count);
    if (!isGone(this.#faults, drawn, now)) return drawn;
    const left = this.#replicas.map((_, index) => index).filter((index) => !isGone(this.#faults, index, now));
    // The place within the drawn replica's share decides among the others.
    return left[Math.floor((chance * count - drawn) * left.length)];
  }

  #fail(request: ServiceRequest, afterMs: number, status: number, retryAfterS: RetryAfter = 'none'): void {
    this.#agenda.at(this.#agenda.now() + afterMs, () => request.fail(this.#errors(status, retryAfterS)));
  }

  #changeCapacity(): void {
    const working = Math.max(1, Math.round(this.#service.servers * capacityAt(this.#faults, this.#agenda.now())));
    for (const replica of this.#replicas) replica.open(working);
  }
}

/** The server's work for a request. */
class RequestedWork implements Work {
  readonly durationMs: number;
  readonly #request: ServiceRequest;
  readonly #isLost: boolean;
  readonly #served: () => void;

  constructor(request: ServiceRequest, durationMs: number, isLost: boolean, served: () => void) {
    this.#request = request;
    this.durationMs = durationMs;
    this.#isLost = isLost;
    this.#served = served;
  }

  done(): void {
    this.#served();
    this.#request.worked();
    if (!this.#isLost) this.#request.succeed();
  }
}
