/** Owns running a job. It needs no browser: the worker calls it, and so do tests. */
import type { TraceEvent } from '@holdfast/core';
import { holdfastOptions, parsePolicySettings, parseWorld, type Problem } from '@holdfast/manifest/lab';
import { type Contender, holdfast, type HoldfastOptions, scenarios, simulate, summarize, type World } from '@holdfast/simulate';
import { contenderNamed } from '@holdfast/simulate/peers';
import type { CallsRequest, Job, Response, TextProblems, TurnEvents } from './job.ts';
import { isScenario } from './stories.ts';

type Send = (response: Response) => void;

/** A text of the user that cannot be used. */
class InvalidText extends Error implements TextProblems {
  readonly of: 'world' | 'policy';
  readonly problems: readonly Problem[];

  constructor(of: 'world' | 'policy', problems: readonly Problem[]) {
    super(`The ${of} is invalid.`);
    this.of = of;
    this.problems = problems;
  }
}

/** The problems of a text, as a response; any other error is a defect. */
export function answerTo(error: unknown): Response {
  if (error instanceof InvalidText) return { kind: 'invalid', of: error.of, problems: error.problems };
  return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
}

export function runJob(job: Job, send: Send): void {
  const world = worldOf(job);
  const contenders = job.policies.map((policy) => contenderOf(policy, job.ownPolicy));
  const total = contenders.length * job.seeds.length;
  let done = 0;
  for (const [position, contender] of contenders.entries()) {
    const runs = job.seeds.map((seed) => {
      send({ kind: 'progress', done, total });
      done += 1;
      return simulate(world, contender, seed);
    });
    const comparison = { world: world.name, contender: contender.name, summary: summarize(runs), runs };
    send({ kind: 'comparison', position, comparison, durationMs: world.durationMs });
  }
  send({ kind: 'done' });
}

const maxTurns = 24;

/** The turns that begin in one second of the first run, with all their events. Only Holdfast's own policies have them. */
export function turnsOf({ job, policy, second }: CallsRequest): readonly TurnEvents[] {
  const kept = new Map<string, TraceEvent[]>();
  let startedAt: number | undefined;
  const onEvent = (event: TraceEvent): void => {
    const at = Date.parse(event.timestamp);
    startedAt ??= Math.floor(at / 1000) * 1000;
    if (event.event_type === 'TurnStarted' && kept.size < maxTurns && Math.floor((at - startedAt) / 1000) === second)
      kept.set(event.turn_id, []);
    kept.get(event.turn_id)?.push(event);
  };
  const options = settingsOf(policy, job.ownPolicy);
  if (options === undefined) return [];
  simulate(worldOf(job), holdfast({ ...options, onEvent }), job.seeds[0] ?? '1');
  return [...kept].map(([turnId, events]) => ({ turnId, events }));
}

function worldOf({ world, processes }: Job): World {
  if ('name' in world) {
    if (!isScenario(world.name)) throw new RangeError(`There is no scenario '${world.name}'.`);
    return withProcesses(scenarios[world.name], processes);
  }
  const { world: read, problems } = parseWorld(world.text, { file: 'world.yaml' });
  if (!read) throw new InvalidText('world', problems);
  return withProcesses(read, processes);
}

/** 0: as in the world. */
const withProcesses = (world: World, processes: number): World => (processes === 0 ? world : { ...world, processes });

function contenderOf(policy: string, ownPolicy: string): Contender {
  if (policy === 'own') return holdfast(ownSettings(ownPolicy));
  const named = contenderNamed(policy);
  if (!named) throw new RangeError(`There is no policy '${policy}'.`);
  return named;
}

function settingsOf(policy: string, ownPolicy: string): HoldfastOptions | undefined {
  if (policy === 'own') return ownSettings(ownPolicy);
  return policy === 'spec' || policy === 'service' || policy === 'adaptive' ? { name: policy, profile: policy } : undefined;
}

/** As `holdfast simulate --policy <file>` reads it. */
function ownSettings(text: string): HoldfastOptions {
  const { policy, problems } = parsePolicySettings(text, { file: 'policy.yaml' });
  if (!policy) throw new InvalidText('policy', problems);
  return holdfastOptions(policy, 'policy.yaml');
}
