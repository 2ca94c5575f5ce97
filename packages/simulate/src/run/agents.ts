/** Owns the agents: when their turns begin. */
import type { Agenda } from '@holdfast/core/internal';
import { arrivalTimes } from '../world/arrivals.ts';
import { sampler } from '../world/distribution.ts';
import { createStream, keyOf } from '../world/streams.ts';
import type { AgentGroup, World } from '../world/world.ts';
import type { LabPlan } from './contender.ts';
import type { Processes } from './processes.ts';
import type { Turns } from './turns.ts';

export interface Scene {
  readonly world: World;
  /** One per group. */
  readonly plans: readonly LabPlan[];
  readonly seed: string;
  readonly agenda: Agenda;
  readonly processes: Processes;
  readonly turns: Turns;
}

export function startAgents(scene: Scene): void {
  let before = 0;
  for (const [index, group] of scene.world.agents.entries()) {
    const plan = scene.plans[index] as LabPlan;
    if (group.arrivals.kind === 'open') openGroup(group, plan, index, scene);
    else closedGroup(group, plan, { group: index, before }, scene);
    before += group.count;
  }
}

function openGroup({ arrivals }: AgentGroup, plan: LabPlan, group: number, { world, seed, agenda, processes, turns }: Scene): void {
  if (arrivals.kind !== 'open') return;
  const nextTime = arrivalTimes(arrivals, seed, String(group));
  let count = 0;
  const arrive = (): void => {
    const nth = count++;
    schedule();
    const key = keyOf(group, nth);
    turns.begin({ client: processes.drawn(key), plan, group, id: `turn-${group + 1}-${nth + 1}`, key });
  };
  const schedule = (): void => {
    const time = nextTime();
    if (time < world.durationMs) agenda.at(time, arrive);
  };
  schedule();
}

interface Place {
  /** Number of the group. */
  readonly group: number;
  /** Number of agents in the groups before it. */
  readonly before: number;
}

/** All begin within one think time, then each after its own. */
function closedGroup({ arrivals, count }: AgentGroup, plan: LabPlan, { group, before }: Place, scene: Scene): void {
  const { world, seed, agenda, processes, turns } = scene;
  if (arrivals.kind !== 'closed') return;
  const thinkMs = sampler(arrivals.think);
  const stream = createStream(seed, `think ${group}`);
  for (let agent = 0; agent < count; agent++) {
    let nth = 0;
    const client = processes.ofAgent(before + agent);
    const begin = (): void => {
      if (agenda.now() >= world.durationMs) return;
      nth += 1;
      turns.begin({
        client,
        plan,
        group,
        id: `turn-${group + 1}-${agent + 1}-${nth}`,
        key: keyOf(group, agent, nth),
        ended: () => agenda.at(agenda.now() + thinkMs(stream(agent, nth)), begin),
      });
    };
    agenda.at(thinkMs(stream(agent, 0)) * stream(agent, -1), begin);
  }
}
