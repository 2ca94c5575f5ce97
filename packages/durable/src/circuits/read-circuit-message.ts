/** Owns parsing the messages to a tool's circuit. `stepFleetCircuit` checks the range of numbers. */
import { parseJsonOrUndefined } from '@holdfast/core/internal/plain';
import type { FleetCircuitMessage } from '@holdfast/core/fleet';

type Fields = Readonly<Record<string, 'string' | 'number'>>;

const fieldsOf: Readonly<Record<FleetCircuitMessage['type'], Fields>> = {
  report: { worker: 'string', sequence: 'number', generation: 'number', successes: 'number', failures: 'number', state: 'string' },
  acquire_probe: { worker: 'string', leaseMs: 'number' },
  probe_ended: { token: 'string', outcome: 'string' },
  reset: { worker: 'string' },
};

/** @param tool the tool of the circuit that received it */
export function readCircuitMessage(text: string, tool: string): FleetCircuitMessage | undefined {
  const value = parseJsonOrUndefined(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(fieldsOf, type)) return undefined;
  // oxlint-disable-next-line no-unsafe-type-assertion -- it is one of the names
  const fields = fieldsOf[type as FleetCircuitMessage['type']];
  // oxlint-disable-next-line no-unsafe-type-assertion -- at worst an object that is no array of names
  const given = value as Readonly<Record<string, unknown>>;
  const fits = Object.entries(fields).every(([name, kind]) => typeof given[name] === kind);
  // oxlint-disable-next-line no-unsafe-type-assertion -- just checked, field by field
  return fits ? ({ ...given, toolName: tool } as unknown as FleetCircuitMessage) : undefined;
}
