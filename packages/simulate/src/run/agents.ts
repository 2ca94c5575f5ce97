/** Owns the agents: when their turns begin. */
import type { Agenda } from '@holdfast/core/internal';
import { arrivalTimes } from '../world/arrivals.ts';
import { sampler } from '../world/distribution.ts';
import { createStream, keyOf } from '../world/streams.ts';
import type { AgentGroup, World } from '../world/world.ts';
import type { LabPlan } from './contender.ts';
import type { Turns } from './turns.ts';

export function startAgents(world: World, plans: readonly LabPlan[], seed: string, agenda: Agenda, turns: Turns): void {
  for (const [index, group] of world.agents.entries()) {
    const plan = plans[index] as LabPlan;
    if (group.arrivals.kind === 'open') openGroup(group, plan, index, { world, seed, agenda, turns });
    else closedGroup(group, plan, index, { world, seed, agenda, turns });
  }
}

interface Scene {
  readonly world: World;
  readonly seed: string;
  readonly agenda: Agenda;
  readonly turns: Turns;
}

function openGroup({ arrivals }: AgentGroup, plan: LabPlan, group: number, { world, seed, agenda, turns }: Scene): void {
  if (arrivals.kind !== 'open') return;
  const nextTime = arrivalTimes(arrivals, seed, String(group));
  let count = 0;
  const arrive = (): void => {
    const nth = count++;
    schedule();
    turns.begin(plan, `turn-${group + 1}-${nth + 1}`, keyOf(group, nth));
  };
  const schedule = (): void => {
    const time = nextTime();
    if (time < world.durationMs) agenda.at(time, arrive);
  };
  schedule();
}

/** All begin within one think time, then each after its own. */
function closedGroup({ arrivals, count }: AgentGroup, plan: LabPlan, group: number, { world, seed, agenda, turns }: Scene): void {
  if (arrivals.kind !== 'closed') return;
  const thinkMs = sampler(arrivals.think);
  const stream = createStream(seed, `think ${group}`);
  for (let agent = 0; agent < count; agent++) {
    let nth = 0;
    const begin = (): void => {
      if (agenda.now() >= world.durationMs) return;
      nth += 1;
      turns.begin(plan, `turn-${group + 1}-${agent + 1}-${nth}`, keyOf(group, agent, nth), () =>
        agenda.at(agenda.now() + thinkMs(stream(agent, nth)), begin),
      );
    };
    agenda.at(thinkMs(stream(agent, 0)) * stream(agent, -1), begin);
  }
}
