/** Owns which settings of a manifest only count from the next start. */
import { isDeepStrictEqual } from 'node:util';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';

const ofManifest = [
  'profile',
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
const ofGateway = [
  'listen',
  'tokens',
  'allowedHosts',
  'allowedOrigins',
  'limits',
  'audit',
  'log',
  'history',
  'models',
] as const satisfies readonly (keyof GatewayEntry)[];

/** The changed ones, in the words of the file. */
export function settingsNeedingRestart(before: Manifest, after: Manifest): readonly string[] {
  const changed = ofManifest.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const changedGateway = ofGateway.filter((field) => !isDeepStrictEqual(before.gateway[field], after.gateway[field]));
  return [...changed.map(snakeCase), ...changedGateway.map((field) => `gateway.${snakeCase(field)}`)];
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
