import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileJsonSchema, type Manifest, manifestJsonSchema, parseManifest, type Problem, serviceOptions } from '../src/index.ts';

/** `line:column code path: message | allowed | suggestion` */
const brief = ({ severity, line, column, code, path, message, allowed, suggestion }: Problem): string =>
  [
    `${line}:${column} ${severity === 'warning' ? 'warning ' : ''}${code} ${path}: ${message}`,
    ...(allowed ? [`allowed ${allowed}`] : []),
    ...(suggestion ? [`meant ${suggestion}`] : []),
  ].join(' | ');

const env = { DATABASE_URL: 'postgres://u:s3cr3t-9@h/d' };
const tool = 'tools: [{ id: a, run: { module: ./a.mjs } }]\n';
const problemsOf = (text: string): readonly string[] => parseManifest(text + tool, { env, purpose: 'run' }).problems.map(brief);
const database = 'a URL such as postgres://user@host/database';
const passwordHint = 'store: { postgres: { url: postgres://user@host/database, password: { env: NAME_OF_A_VARIABLE } } }';

const cases: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ['a database with a URL', 'store: postgres://user@host:5432/database\n'],
  ['a database over a socket', 'store: postgresql:///database?host=/var/run/postgresql\n'],
  ['a database from the environment', 'store: ${env:DATABASE_URL}\n'],
  [
    'a database with all settings',
    'store: { postgres: { url: { env: D }, password: { env: P }, schema: a_1, connections: 2 }, retention_days: 3 }\n',
  ],
  [
    'a file with only its name',
    'store: ./trace.db\n',
    `1:8 bad_url store: store is something else | allowed false, or ${database}, or an object with path, durability, postgres, retention_days, max_bytes`,
  ],
  [
    'a database of another kind',
    'store: { postgres: mysql://h/d }\n',
    `1:20 bad_url store.postgres: postgres is something else | allowed ${database}, or an object with url, password, schema, connections`,
  ],
  [
    'a database without an address',
    'store: { postgres: { schema: a } }\n',
    `1:20 missing_key store.postgres.url: postgres has no 'url' | allowed ${database}, or an object with env, prefix`,
  ],
  [
    'a file and a database',
    'store: { path: a.db, durability: fsync, postgres: postgres://h/d, max_bytes: 1 }\n',
    "1:10 run_kind store.path: 'path' cannot be combined with 'postgres' | allowed a file, or a database",
    "1:22 run_kind store.durability: 'durability' cannot be combined with 'postgres' | allowed a file, or a database",
    "1:67 run_kind store.max_bytes: 'max_bytes' cannot be combined with 'postgres' | allowed a file, or a database",
  ],
  [
    'a password in the file',
    'store: postgres://u:s3cr3t@h/d\n',
    `1:8 not_allowed store: the password of the database is in the file | allowed ${passwordHint}`,
  ],
  [
    'a nested password in the file',
    'store:\n  postgres:\n    url: postgres://u:s3cr3t@h/d\n',
    `3:10 not_allowed store.postgres.url: the password of the database is in the file | allowed ${passwordHint}`,
  ],
  [
    'a schema that needs quoting',
    'store: { postgres: { url: postgres://h/d, schema: My-Schema } }\n',
    "1:51 bad_identifier store.postgres.schema: schema is 'My-Schema' | allowed a name of lower-case letters, digits and '_'",
  ],
  ['an engine on this machine', 'engine: { restate: {} }\nshared_circuits: restate\n'],
  [
    'an engine with all settings',
    'engine: { restate: { ingress: http://r:8080, admin: http://r:9070, headers: { authorization: { env: T } }, timeout_ms: 100 } }\nworker: { listen: { host: 127.0.0.1, port: 0 }, url: http://w:9080, register: false, identity_keys: [publickeyv1_abc], drain_ms: 0 }\n',
  ],
  [
    'an engine without a name',
    'engine: {}\n',
    "1:9 missing_key engine.restate: engine has no 'restate' | allowed an object with ingress, admin, headers, timeout_ms",
  ],
  [
    'an unknown engine',
    'engine: { temporal: {} }\n',
    "1:9 missing_key engine.restate: engine has no 'restate' | allowed an object with ingress, admin, headers, timeout_ms",
    "1:11 unknown_key engine.temporal: unknown key 'temporal' in engine | allowed restate",
  ],
  [
    'a secret of the engine in the file',
    'engine: { restate: { headers: { authorization: Bearer x } } }\n',
    "1:33 not_allowed engine.restate.headers.authorization: 'authorization' is a secret, but is in the file | allowed { env: NAME_OF_A_VARIABLE }, with prefix: 'Bearer ' where the header has one",
  ],
  [
    'an engine with a password',
    'engine: { restate: { admin: http://u:p@h } }\n',
    "1:22 not_allowed engine.restate.admin: 'admin' contains a user or a password, so no request can be sent to it | allowed a URL without them, and headers: { authorization: { env: NAME_OF_A_VARIABLE, prefix: 'Bearer ' } }",
  ],
  [
    'a worker on all interfaces, without a URL',
    'worker: { listen: { host: 0.0.0.0 } }\n',
    "1:27 warning not_allowed worker.listen.host: every client that reaches '0.0.0.0' can run tools, and worker.identity_keys is empty | allowed worker.identity_keys: [publickeyv1_…], or a network for the engine only",
    "1:27 missing_key worker.url: '0.0.0.0' is an address to listen on, not an address that the engine can reach | allowed worker.url: the address of the workers' load balancer, or register: false",
  ],
  ['a worker behind a balancer', 'worker: { listen: { host: 0.0.0.0 }, url: http://workers:9080, identity_keys: [publickeyv1_abc] }\n'],
  [
    'shared circuits without an engine',
    'shared_circuits: restate\n',
    "1:18 missing_key shared_circuits: the file has no 'restate' to store the circuits | allowed engine: { restate: {} }",
  ],
  [
    'circuits in a database, without a database',
    'shared_circuits: postgres\nstore: { path: a.db }\n',
    "1:18 missing_key shared_circuits: the file has no 'postgres' to store the circuits | allowed store: { postgres: … }",
  ],
  ['circuits in the database', 'shared_circuits: postgres\nstore: postgres://h/d\n'],
  [
    'shared circuits with yes',
    'shared_circuits: yes\n',
    "1:18 not_allowed shared_circuits: shared_circuits is 'yes' | allowed one of 'off', 'restate', 'postgres'",
  ],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text)).toEqual(expected);
  expect(JSON.stringify(problemsOf(text))).not.toContain('s3cr3t');
});

const schema = compileJsonSchema(
  JSON.parse(JSON.stringify(manifestJsonSchema()).replaceAll(',"$ref":"http://json-schema.org/draft-07/schema#"', '')) as Record<
    string,
    unknown
  >,
);

test.each([
  'store: postgres://u@h/d',
  'store: { postgres: postgres://u@h/d }',
  'store: { postgres: { url: { env: D } } }',
  'store: ./trace.db',
  'engine: { restate: {} }',
  'engine: {}',
  'shared_circuits: yes',
  'worker: { listen: { port: 99999 } }',
  'worker: { listen: { port: 0 }, url: http://workers:9080, register: false, drain_ms: 5 }',
])('the schema and the reader agree about %j', (text) => {
  expect(schema(parse(`${text}\n${tool}`)).length === 0).toBe(parseManifest(`${text}\n${tool}`).manifest !== undefined);
});

function manifestOf(text: string): Manifest {
  const { manifest } = parseManifest(text + tool, { env, file: '/folder/holdfast.yaml' });
  if (!manifest) throw new Error('There is no manifest.');
  return manifest;
}

test('defaults are filled in', () => {
  expect(manifestOf('')).toMatchObject({
    store: { path: '/folder/.holdfast/trace.db', durability: 'normal' },
    sharedCircuits: 'off',
    worker: { listen: { host: '127.0.0.1', port: 9080 }, register: true, identityKeys: [], drainMs: 10_000 },
  });
  expect(manifestOf('').engine).toBeUndefined();
  expect(manifestOf('store: postgres://u@h/d\nengine: { restate: { timeout_ms: 7 } }\nworker: { listen: { port: 1 } }\n')).toMatchObject({
    store: { postgres: { url: 'postgres://u@h/d', schema: 'holdfast', connections: 4 } },
    engine: { restate: { ingress: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9070', headers: {}, timeoutMs: 7 } },
    worker: { listen: { host: '127.0.0.1', port: 1 } },
  });
});

test('passwords of a database and credentials of an engine are secret, wherever they come from', () => {
  const given = manifestOf('store: ${env:DATABASE_URL}\nengine: { restate: { headers: { authorization: { env: ENGINE } } } }\n');
  expect(serviceOptions(given, { ENGINE: 'engine-token' }).redact?.secrets?.toSorted()).toEqual(['engine-token', 's3cr3t-9']);
  const referred = manifestOf('store: { postgres: { url: { env: D }, password: { env: P } } }\n');
  const secrets = serviceOptions(referred, { D: 'postgres://u:s%203c@h/d', P: 'password-8' }).redact?.secrets ?? [];
  expect(secrets.toSorted()).toEqual(['password-8', 'postgres://u:s%203c@h/d', 's 3c', 's%203c'].toSorted());
});
