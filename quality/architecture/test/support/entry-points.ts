/**
 * Owns the list of everything that takes options or rules. A new interface of options gets a line in one of its parts, or one in `notGiven` with the reason.
 */
import type { EntryPoint } from './entry-point.ts';
import { corePoints } from './core-entries.ts';
import { packagePoints } from './package-entries.ts';
import { servicePoints } from './service-entries.ts';

export const entryPoints: readonly EntryPoint[] = [...servicePoints, ...corePoints, ...packagePoints];

/** Interfaces that look like options and are none of a user's, or are tested where they belong. */
export const notGiven: Readonly<Record<string, string>> = {
  AgentToolOptions: 'options of the SDK, which checks them',
  AlertingRule: 'an output',
  BackoffOptions: 'given to a strategy by the run',
  CheckServersOptions: 'apps/gateway/test/composition/options.test.ts',
  CircuitRule: 'an output',
  ClientRequestOptions: 'of one request; a gateway gives them, not a user',
  CompiledRule: 'made by compileRules',
  DashboardOptions: 'a part of GatewayOptions',
  GatewayOptions: 'apps/gateway/test/composition/options.test.ts',
  LabPlan: 'given to a contender by the lab',
  ListenOptions: 'apps/gateway/test/composition/options.test.ts',
  LogInOptions: 'apps/gateway/test/composition/options.test.ts',
  MatchedRule: 'an output',
  ProviderRule: 'an output',
  ReadRecoveryRule: 'an output',
  RecordingRule: 'an output',
  ServeOptions: 'apps/gateway/test/composition/options.test.ts',
  TurnTraceOptions: 'given by the service, for every turn',
  WorkOptions: 'apps/gateway/test/composition/options.test.ts',
  WorkerOptions: 'apps/gateway/test/composition/options.test.ts',
};
