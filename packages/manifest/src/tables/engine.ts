/** Owns the tables of `engine` and `worker`. Their defaults are in `entries/engine.ts`. */
import { restateDefaults, workerDefaults } from '../entries/engine.ts';
import { boolean, field, textOfForm, list, record, text, url, type RecordShape } from '../shape/shape.ts';
import { by, headers, period, port, timer } from './strings.ts';

const restate: RecordShape = record(
  'restate',
  field('ingress', url, 'The ingress address, where turns are submitted.', by(restateDefaults.ingress)),
  field('admin', url, 'Where workers are registered.', by(restateDefaults.admin)),
  field('headers', headers, 'Further headers of each request to both.', by(restateDefaults.headers)),
  field('timeout_ms', period, 'The time limit of each request; after it the engine counts as lost.', by(restateDefaults.timeoutMs)),
);

export const engineShape: RecordShape = record(
  'engine',
  field('restate', restate, 'A Restate server or cluster. `{}` is one on this machine.', { required: true }),
);

const listen: RecordShape = record(
  'worker_listen',
  field('host', text, 'The address.', by(workerDefaults.listen.host)),
  field('port', port, 'The port. 0: any free port.', by(workerDefaults.listen.port)),
);

export const workerShape: RecordShape = record(
  'turn_worker',
  field('listen', listen, 'The address on which a worker listens.', by({})),
  field(
    'url',
    url,
    'Where the engine reaches the workers: the address of their load balancer if there are several.',
    by('the address listened on'),
  ),
  field('register', boolean, 'Whether a worker registers with the engine when it starts.', by(workerDefaults.register)),
  field(
    'identity_keys',
    list(textOfForm('^publickeyv1_[A-Za-z0-9]+$', 'a public key such as publickeyv1_…')),
    'Public keys of the engine: requests without a signature by one of them are refused.',
    by(workerDefaults.identityKeys),
  ),
  field('drain_ms', timer, 'How long running attempts may continue when a worker shuts down.', by(workerDefaults.drainMs)),
);
