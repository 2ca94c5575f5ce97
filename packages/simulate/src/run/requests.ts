/** Owns the path of a request from a contender to a service and back, and the world's record of it: its sender, and whether its work was done twice. */
import type { Agenda } from '@holdfast/core/internal';
import type { Recorder } from '../metrics/recorder.ts';
import { sampler } from '../world/distribution.ts';
import type { Failure } from '../world/fate.ts';
import { RunningService, type ServiceRequest } from '../world/running-service.ts';
import type { Schedule } from '../world/schedule.ts';
import type { World } from '../world/world.ts';
import type { Answer, LabCall, LabRun, PlannedLabCall, ServiceError } from './contender.ts';

/** A call as the world records it. */
export class WorldCall implements LabCall {
  readonly plan: PlannedLabCall;
  readonly key: number;
  /** How the call fails that can never succeed. */
  readonly hopeless: Failure | undefined;
  /** Number of requests sent for it. */
  sent = 0;
  /** How often unsafe work was done for it. */
  effects = 0;

  constructor(plan: PlannedLabCall, key: number, hopeless: Failure | undefined) {
    this.plan = plan;
    this.key = key;
    this.hopeless = hopeless;
  }
}

interface Target {
  readonly service: RunningService;
  readonly unsafe: boolean;
  readonly durationOf: ((draw: number) => number) | undefined;
}

const succeeded: Answer = { ok: true, output: 'done' };

class Request implements ServiceRequest {
  readonly callKey: number;
  readonly nth: number;
  readonly hopeless: Failure | undefined;
  readonly durationOf: Target['durationOf'];
  readonly #call: WorldCall;
  readonly #unsafe: boolean;
  readonly #recorder: Recorder;
  #settle: ((answer: Answer) => void) | undefined;

  constructor(call: WorldCall, { unsafe, durationOf }: Target, recorder: Recorder, settle: (answer: Answer) => void) {
    this.callKey = call.key;
    this.nth = call.sent;
    this.hopeless = call.hopeless;
    this.durationOf = durationOf;
    this.#call = call;
    this.#unsafe = unsafe;
    this.#recorder = recorder;
    this.#settle = settle;
  }

  worked(): void {
    if (this.#settle === undefined) this.#recorder.wasted();
    if (!this.#unsafe) return;
    this.#call.effects += 1;
    if (this.#call.effects > 1) this.#recorder.duplicated();
  }

  succeed(): void {
    this.#answer(succeeded);
  }

  fail(error: ServiceError): void {
    this.#answer({ ok: false, error });
  }

  abort(): void {
    this.#settle = undefined;
  }

  #answer(answer: Answer): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}

export interface SenderOptions {
  readonly world: World;
  readonly seed: string;
  readonly agenda: Agenda;
  readonly schedule: Schedule;
  readonly recorder: Recorder;
}

export function createSender({ world, seed, agenda, schedule, recorder }: SenderOptions): LabRun['send'] {
  const services = new Map(
    Object.entries(world.services).map(([name, service]) => [
      name,
      new RunningService(name, service, schedule.faultsOf(name), agenda, seed),
    ]),
  );
  const targets = new Map(
    Object.entries(world.tools).map(([name, { service, effect, latency }]): [string, Target] => [
      name,
      { service: services.get(service) as RunningService, unsafe: effect === 'unsafe', durationOf: latency && sampler(latency) },
    ]),
  );
  return (call, toolName, settle) => {
    const target = targets.get(toolName);
    if (!target) throw new RangeError(`send: there is no tool '${toolName}' in world '${world.name}'. Name one of its tools.`);
    const known = call as WorldCall;
    known.sent += 1;
    recorder.sent(agenda.now());
    const request = new Request(known, target, recorder, settle);
    target.service.receive(request);
    return () => request.abort();
  };
}

export function toolOf({ name, tools }: World, toolName: string): ReturnType<LabRun['tool']> {
  const tool = tools[toolName];
  if (!tool) throw new RangeError(`tool: there is no tool '${toolName}' in world '${name}'. Name one of its tools.`);
  return {
    service: tool.service,
    effect: tool.effect ?? 'read',
    alternatives: tool.alternatives ?? [],
    timeoutMs: tool.timeoutMs ?? 5_000,
  };
}
