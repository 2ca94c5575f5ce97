/** Owns the rules of options that a gateway and a worker have in common. */
import { signalRule, withMethods, type Fields, type NumberRule } from '@holdfast/core/internal/plain';

/** What both are created with. */
export const runtimeFields: Fields = {
  store: withMethods('append', 'flush', 'readEvents', 'saveCircuits', 'loadCircuits'),
  fresh: 'boolean',
  log: ['json', 'text', 'off'],
  write: 'function',
};

const port: NumberRule = ['a port', 0, 65_535, true];

/** In place of the manifest's address. */
export const listenFields: Fields = { host: 'string', port };

/** What a process of either is run with. */
export const processFields: Fields = {
  ...runtimeFields,
  ...listenFields,
  signal: signalRule,
  onMessage: 'function',
  onReady: 'function',
  reloadFrom: 'string',
};
