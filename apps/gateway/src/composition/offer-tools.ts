/**
 * Owns passing the offered tools to the service and its metrics.
 *
 * Invariants
 * 1. A tool that has not changed keeps its place in the service, unless the defaults of the manifest have changed.
 * 2. Thousands of new tools are prepared in slices, and offered together.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnyTool, ToolExecutionService, ToolPolicy } from '@holdfast/core';
import type { Metrics } from '@holdfast/core/metrics';
import { Pauses } from '@holdfast/mcp-wire/client';

export interface Offering {
  /** Resolves when the service has exactly these tools. */
  readonly offer: (tools: readonly AnyTool[], defaults: ToolPolicy) => Promise<void>;
  /** Leaves only these of the tools that the service has, at once. */
  readonly withdraw: (left: readonly AnyTool[]) => void;
  /** Adds circuits that were restored as open to the metrics, since no event reports them. */
  readonly noteCircuits: () => Promise<void>;
}

/** New tools that are prepared at once. */
const slice = 50;

type Service = Pick<ToolExecutionService, 'prepareTools' | 'replaceTools' | 'tools' | 'getToolHealth'>;

export function createOffering(service: Service, metrics: Pick<Metrics, 'setTools' | 'setCircuit'>): Offering {
  let policy: ToolPolicy | undefined;
  const noteCircuits = async (): Promise<void> => {
    const pauses = new Pauses();
    for (const { name } of service.tools) {
      if (pauses.isDue) await pauses.pause();
      const circuit = service.getToolHealth(name)?.circuit;
      if (circuit && circuit !== 'closed') metrics.setCircuit(name, circuit);
    }
  };
  return {
    async offer(tools, defaults) {
      const isSamePolicy = policy !== undefined && isDeepStrictEqual(policy, defaults);
      if (isSamePolicy && isSame(service.tools, tools)) return;
      policy = isSamePolicy ? policy : defaults;
      await prepareInSlices(service, tools, policy, isSamePolicy);
      const pauses = new Pauses();
      service.replaceTools(tools, policy);
      if (pauses.isDue) await pauses.pause();
      metrics.setTools(tools.map(({ name }) => name));
      await noteCircuits();
    },
    withdraw: (left) => service.replaceTools(left, policy),
    noteCircuits,
  };
}

/** Those that the service does not have yet, or not under this policy. */
async function prepareInSlices(
  service: Service,
  tools: readonly AnyTool[],
  policy: ToolPolicy | undefined,
  isSamePolicy: boolean,
): Promise<void> {
  const pauses = new Pauses();
  const passed = new Set(isSamePolicy ? service.tools : []);
  const fresh = tools.filter((tool) => !passed.has(tool));
  for (let from = 0; from < fresh.length; from += slice) {
    if (pauses.isDue) await pauses.pause();
    service.prepareTools(fresh.slice(from, from + slice), policy);
  }
  if (fresh.length > slice) await pauses.pause();
}

const isSame = (some: readonly AnyTool[], others: readonly AnyTool[]): boolean =>
  some.length === others.length && some.every((tool, place) => tool === others[place]);
