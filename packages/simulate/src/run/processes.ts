/**
 * Owns the processes of a run: one client of the contender in each, and which process runs a turn. They share nothing but the services.
 *
 * Invariants
 * 1. The first process has the run's own seed, so that a run in one process is the same as one without processes.
 * 2. Which process runs a turn depends on the seed and the turn, not on the contender.
 */
import { drawAt } from '@holdfast/core/internal';
import { createStream } from '../world/streams.ts';
import type { Contender, LabClient, LabRun } from './contender.ts';

export interface Processes {
  /** The client for a turn of an open group: drawn from the turn's key. */
  drawn(key: number): LabClient;
  /** The client of an agent that stays in its process, by the agent's number in the world. */
  ofAgent(agent: number): LabClient;
  /** The clients' own figures, summed. */
  notes(): Readonly<Record<string, number>>;
}

export function startProcesses(run: Omit<LabRun, 'seed' | 'draw'>, contender: Contender, seed: string): Processes {
  const { processes = 1 } = run.world;
  const count = contender.sharesProcesses === true ? 1 : processes;
  const clients = Array.from({ length: count }, (_, index) => {
    const own = index === 0 ? seed : `${seed} process ${index + 1}`;
    return contender.start({ ...run, seed: own, draw: (...keys) => drawAt(own, 'contender', ...keys) });
  });
  const chance = createStream(seed, 'processes');
  const at = (index: number): LabClient => clients[index % count] as LabClient;
  return {
    drawn: (key) => at(count === 1 ? 0 : Math.floor(chance(key) * count)),
    ofAgent: at,
    notes: () => summed(clients.map((client) => client.notes?.() ?? {})),
  };
}

function summed(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const notes of all) for (const [name, value] of Object.entries(notes)) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}
