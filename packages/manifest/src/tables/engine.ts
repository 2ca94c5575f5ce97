/** Owns the tables of `engine` and `worker`. Their defaults are in `entries/engine.ts`. */
import { restateDefaults, workerDefaults } from '../entries/engine.ts';
import { boolean, field, formed, list, record, text, url, type FieldOptions, type NumberShape, type RecordShape } from '../shape/shape.ts';
import { headers, period, timer } from './texts.ts';

const by = (standard: unknown): FieldOptions => ({ default: standard });
const port: NumberShape = { kind: 'number', integer: true, minimum: 0, maximum: 65_535 };

const restate: RecordShape = record(
  'restate',
  field('ingress', url, 'Where turns are handed in.', by(restateDefaults.ingress)),
  field('admin', url, 'Where workers are registered.', by(restateDefaults.admin)),
  field('headers', headers, 'Further headers of each request to either.', by(restateDefaults.headers)),
  field('timeout_ms', period, 'What the engine may take for one answer; it counts as lost then.', by(restateDefaults.timeoutMs)),
);

export const engineShape: RecordShape = record(
  'engine',
  field('restate', restate, 'A Restate server or cluster. `{}` is one on this machine.', { required: true }),
);

const listen: RecordShape = record(
  'worker_listen',
  field('host', text, 'The address.', by(workerDefaults.listen.host)),
  field('port', port, 'The port. 0: any that is free.', by(workerDefaults.listen.port)),
);

export const workerShape: RecordShape = record(
  'turn_worker',
  field('listen', listen, 'Where the engine finds a worker.', by({})),
  field('url', url, 'Where the engine reaches the workers: of several, their balancer.', by('the address listened on')),
  field('register', boolean, 'Whether a worker tells the engine of itself when it starts.', by(workerDefaults.register)),
  field(
    'identity_keys',
    list(formed('^publickeyv1_[A-Za-z0-9]+$', 'a public key such as publickeyv1_…')),
    'Public keys of the engine: a request that none of them has signed is refused.',
    by(workerDefaults.identityKeys),
  ),
  field('drain_ms', timer, 'How long running attempts may continue when a worker ends.', by(workerDefaults.drainMs)),
);
