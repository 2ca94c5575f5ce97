import type { RecoveryRule } from '../../src/engine/recover/recovery-rules.ts';
import type { JsonSchemaCompiler } from '../../src/engine/schema/validator.ts';
import type { HubFault } from '../../src/runtime/service/event-hub.ts';
import { brokenGetters, brokenProxy } from '../support/hostile-values.ts';

const boom = (): never => {
  throw Object.create(null);
};

/** Compilers of JSON Schemas, by name. */
export const hostileCompilers: Readonly<Record<string, JsonSchemaCompiler>> = {
  'finds nothing': () => () => [],
  'finds something': () => () => [{ path: ['symbol'], message: 'No', missing: true }],
  'does not compile': boom,
  'makes no check': () => undefined as never,
  'checks and throws': () => boom,
  'returns nothing': () => () => undefined as never,
  'returns a string': () => () => 'fine' as never,
  'answers later': () => (async () => []) as never,
  'rejects later': () => (async () => boom()) as never,
  'returns a proxy': () => () => brokenProxy([1]) as never,
  'returns broken issues': () => () => [brokenProxy(), null, { path: null }, brokenGetters('path', 'message')] as never,
};

export const hostileFaultHooks: Readonly<Record<string, (fault: HubFault) => unknown>> = {
  hears: () => undefined,
  throws: boom,
  rejects: async () => boom(),
  'returns a broken proxy': () => brokenProxy(),
  'freezes its arguments': (fault) => Object.freeze(fault),
};

export const readableRules: Readonly<Record<string, () => readonly RecoveryRule[]>> = {
  none: () => [],
  'denies retries': () => [{ name: 'no', deny: ['retry'], when: { tool: ['search'] } }],
  'prefers an alternative': () => [{ name: 'other', prefer: 'use_alternative' }],
};

/** Rules that a service refuses, and itself with them. */
export const unreadableRules: Readonly<Record<string, () => readonly RecoveryRule[]>> = {
  'names unknown values': () => [{ name: 'dance', prefer: 'dance' as never, deny: ['sing' as never] }],
  'has invalid conditions': () => [
    { name: 'when', when: null as never },
    { name: 'tool', when: { tool: 7 as never } },
  ],
  'has invalid parts': () => [{ name: 'parts', allow: 7 as never, deny: null as never }],
  'cannot be read': () => [{ name: 'broken', when: brokenGetters('tool') as never }],
};
