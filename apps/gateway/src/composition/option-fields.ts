/** Owns the checks of options that gateways and workers share. */
import { signalRule, withMethods, type Fields, type NumberRule } from '@holdfast/core/internal/plain';

/** Options for creating either. */
export const runtimeFields: Fields = {
  store: withMethods('append', 'flush', 'readEvents', 'saveCircuits', 'loadCircuits'),
  fresh: 'boolean',
  log: ['json', 'text', 'off'],
  write: 'function',
};

const port: NumberRule = ['a port', 0, 65_535, true];

/** Overrides the manifest's address. */
export const listenFields: Fields = { host: 'string', port };

/** Options for running either as a process. */
export const processFields: Fields = {
  ...runtimeFields,
  ...listenFields,
  signal: signalRule,
  onMessage: 'function',
  onReady: 'function',
  reloadFrom: 'string',
};
