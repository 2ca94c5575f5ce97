/** Owns the one-line description of a generated world. */
import type { World, WorldFault } from '@holdfast/simulate';
import { meanOf } from './mean.ts';

export function describeWorld({ durationMs, processes = 1, agents, services, tools, faults }: World): string {
  const [group, poisoned] = agents;
  const [service] = Object.values(services);
  const [tool] = Object.values(tools);
  if (!group || !service || !tool) return '';
  const { servers, replicas = 1, latency, queue } = service;
  const capacity = (servers * replicas * 1_000) / meanOf(latency);
  const { arrivals } = group;
  const demand =
    arrivals.kind === 'open'
      ? `${short(arrivals.ratePerSecond)} turns/s${arrivals.burst ? ' in bursts' : ''}`
      : `${group.count} agents in closed loops`;
  const limit = tool.timeoutMs === Infinity ? 'no time limit' : `limit ${seconds(tool.timeoutMs ?? 5_000)}`;
  return [
    `${processes} ${processes === 1 ? 'process' : 'processes'}`,
    `${demand}${group.turn.length > 1 ? ` of ${group.turn.length} calls` : ''} for ${seconds(durationMs)}, capacity ${short(capacity)}/s`,
    `${latency.kind} ${seconds(meanOf(latency))}, ${replicas > 1 ? `${replicas} × ` : ''}${servers} servers, queue ${queue}`,
    `${tool.effect}, ${limit}, turns of ${seconds(group.deadlineMs)}`,
    ...(tool.alternatives ? ['an alternative'] : []),
    ...(poisoned ? [`a poisoned caller ${poisoned.arrivals.kind === 'open' ? 'in every process' : 'in one process'}`] : []),
    faults.length === 0 ? 'no faults' : faults.map((fault) => describeFault(fault, durationMs)).join(' + '),
  ].join('; ');
}

function describeFault(fault: WorldFault, durationMs: number): string {
  const { service: _service, host: _host, fromMs, forMs, kind, ...rest } = fault;
  const from = Number(fromMs);
  const lasts = Number(forMs);
  const span = from === 0 && lasts >= durationMs ? 'always' : `${seconds(lasts)} at ${seconds(from)}`;
  const details = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? short(value) : JSON.stringify(value)}`,
  );
  return `${kind} ${span}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

export function seconds(ms: number): string {
  if (ms < 1_000) return `${short(ms)} ms`;
  return ms < 600_000 ? `${short(ms / 1_000)} s` : `${short(ms / 60_000)} min`;
}
