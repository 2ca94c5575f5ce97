/** Owns which settings of a manifest take effect only after a restart. */
import { snakeCase } from '@holdfast/core/internal/plain';
import { isDeepStrictEqual } from 'node:util';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';

const manifestSettings = [
  'profile',
  'memory',
  'seed',
  'turn',
  'store',
  'capture',
  'redact',
  'recoveryRules',
  'engine',
  'worker',
  'sharedCircuits',
] as const satisfies readonly (keyof Manifest)[];
const gatewaySettings = [
  'listen',
  'allowedHosts',
  'allowedOrigins',
  'limits',
  'audit',
  'log',
  'history',
  'models',
  'sessionKey',
] as const satisfies readonly (keyof GatewayEntry)[];

/** Returns the changed settings, by their names in the file. */
export function settingsNeedingRestart(before: Manifest, after: Manifest): readonly string[] {
  const changed = manifestSettings.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const changedGateway = gatewaySettings.filter((field) => !isDeepStrictEqual(before.gateway[field], after.gateway[field]));
  return [...changed.map(snakeCase), ...changedGateway.map((field) => `gateway.${snakeCase(field)}`)];
}
