/** Owns the table of `gateway`. Its defaults are in `entries/defaults.ts`. */
import { gatewayDefaults, issuerDefaults, lockFileName, modelBaseUrls, modelDefaults } from '../entries/defaults.ts';
import {
  boolean,
  choice,
  count,
  either,
  field,
  textOfForm,
  list,
  map,
  off,
  path,
  record,
  text,
  url,
  type RecordShape,
} from '../shape/shape.ts';
import { by, bytes, headers, period, port, secretReference, timer, variable } from './strings.ts';

const { history, limits, names, results } = gatewayDefaults;
const hostName = textOfForm(
  String.raw`^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`,
  'a host such as gateway.example.com or gateway.example.com:8443',
);
const origin = textOfForm(
  String.raw`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@*]+$`,
  'an origin such as https://app.example.com or http://localhost:5173',
);

const listen: RecordShape = record(
  'listen',
  field('host', text, 'The address. An address that is not loopback needs `tokens`.', by(gatewayDefaults.listen.host)),
  field('port', port, 'The port. 0: any free port.', by(gatewayDefaults.listen.port)),
  field('path', path, 'A Unix socket instead of host and port.', by('none')),
);

const callLimits: RecordShape = record(
  'call_limits',
  field('calls_per_minute', count(1), 'Further calls are refused until the next one is due.', by('none')),
  field('calls_per_day', count(1), 'Calls within 24 hours of one process; further ones are refused.', by('none')),
  field('in_flight', count(1), 'Calls that run at the same time.', by('none')),
);

const toolGlobs = [
  field('tools', list(text), 'Which offered tools exist for the client; `*` and `?` are wildcards.', by(['*'])),
  field('deny', list(text), 'The tools that are not available; overrides `tools`, also that of a group.', by([])),
];

const accessFields = [
  field(
    'roles',
    list(choice('call', 'read', 'operate')),
    '`call`: calls tools, and sees its own turns. `read`: sees the turns, the history and the alerts of all clients. `operate`: `read`, and acts on circuits, alerts and turns.',
    { default: '`[call]`; all roles for the only token of a gateway without `auth`' },
  ),
  ...toolGlobs,
  field('limits', callLimits, 'Limits of its calls.', by('none')),
];

const token: RecordShape = {
  ...record(
    'token',
    field('name', text, 'The name of the client in logs.', { required: true }),
    field(
      'env',
      variable,
      "The environment variable that holds the client's token: at least 16 characters if other machines can reach the gateway.",
      { required: true },
    ),
    field('groups', list(text), 'Groups of `gateway.groups` that it belongs to: it has the roles and tools of each of them.', by([])),
    ...accessFields,
  ),
  secret: true,
};

const group: RecordShape = record('group', ...accessFields);

const introspection: RecordShape = record(
  'introspection',
  field('endpoint', url, 'The address.', by("the issuer's metadata")),
  field('client_id', text, 'The id of the gateway at the issuer.', { required: true }),
  field('client_secret', secretReference, 'Its secret.', { required: true }),
);

const issuer: RecordShape = record(
  'issuer',
  field('issuer', url, 'The issuer, exactly as in its tokens.', { required: true }),
  field('audience', list(text), 'Accepted audiences of a token.', by('the address of the endpoint')),
  field('jwks_uri', url, 'Where its public keys are.', by("the issuer's metadata")),
  field(
    'algorithms',
    list(choice(...issuerDefaults.algorithms)),
    'Accepted signature algorithms of a token (JWT).',
    by(issuerDefaults.algorithms),
  ),
  field(
    'introspection',
    introspection,
    'How tokens are checked that are not signed. Answers are remembered for up to a minute.',
    by('none'),
  ),
  field('scopes', list(text), 'Scopes that every token must have, and that clients request.', by(issuerDefaults.scopes)),
  field(
    'groups_claim',
    text,
    'The claim with the names of groups of `gateway.groups`. A token without any of them has no access. Without this setting, the roles, tools and limits below apply to every token.',
    by('none'),
  ),
  ...accessFields,
);

const auth: RecordShape = record(
  'auth',
  field('issuers', list(issuer), 'Authorization servers whose access tokens are accepted.', { required: true }),
);

const endpoint: RecordShape = record('endpoint', ...toolGlobs);

const limitFields: RecordShape = record(
  'limits',
  field('body_bytes', bytes, 'The size of a request body.', by(limits.bodyBytes)),
  field('header_timeout_ms', period, "From the connection's opening to the end of the headers.", by(limits.headerTimeoutMs)),
  field('body_timeout_ms', period, 'From the end of the headers to the end of the body.', by(limits.bodyTimeoutMs)),
  field('connections', count(1), 'Open connections.', by(limits.connections)),
  field('sessions', count(1), 'Open MCP sessions.', by(limits.sessions)),
  field('session_idle_ms', period, 'A session without a request for this long is closed.', by(limits.sessionIdleMs)),
  field('subscriptions', count(0), 'Subscriptions of all clients.', by(limits.subscriptions)),
  field('in_flight', count(1), 'Calls that run or wait; further ones are refused.', by(limits.inFlight)),
);

const nameFields: RecordShape = record(
  'names',
  field(
    'separator',
    textOfForm('^[A-Za-z0-9_-]{1,8}$', "1 to 8 letters, digits, '_' and '-'"),
    "The separator between a prefix and a tool's name.",
    by(names.separator),
  ),
  field(
    'max_length',
    { kind: 'number', integer: true, minimum: 16, maximum: 128 },
    'Longer names are truncated and get a hash.',
    by(names.maxLength),
  ),
);

const resultFields: RecordShape = record(
  'results',
  field(
    'max_bytes',
    { ...bytes, minimum: 1024 },
    'A larger result is stored as a resource, and its beginning is returned.',
    by(results.maxBytes),
  ),
  field('keep_ms', period, 'How long such a resource can be read.', by(results.keepMs)),
  field(
    'keep_bytes',
    { ...bytes, minimum: 0 },
    'The size of all such resources. Those of the client with the most make room, the oldest first.',
    by(results.keepBytes),
  ),
);

const historyFields: RecordShape = record(
  'history',
  field('retention_days', { kind: 'number', minimum: 1, maximum: 365 }, 'Older records are deleted.', by(history.retentionDays)),
);

const model = (provider: keyof typeof modelBaseUrls): RecordShape =>
  record(
    `${provider}_model`,
    field('base_url', url, "The address of the provider's API, as in its client libraries.", by(modelBaseUrls[provider])),
    field('api_key', secretReference, 'The key that is sent. A key of the client is not forwarded.', by('none')),
    field('headers', headers, 'Further headers of each request.', by(modelDefaults.headers)),
    field('repair', boolean, 'Whether invalid transcripts in requests are repaired.', by(modelDefaults.repair)),
    field('validate', boolean, 'Whether tool calls in responses are checked.', by(modelDefaults.validate)),
  );

const models: RecordShape = record(
  'models',
  field('openai', model('openai'), 'Served at `/openai/v1`.'),
  field('anthropic', model('anthropic'), 'Served at `/anthropic`.'),
  field('gemini', model('gemini'), 'Served at `/gemini`.'),
);

export const gatewayShape: RecordShape = record(
  'gateway',
  field('listen', listen, 'The address on which it listens.', by({})),
  field('tokens', list(token), 'Clients with access. Without any: every client on this machine.', by([])),
  field('groups', map(group), 'Access of several clients together. Limits of a group count the calls of all its clients.', by({})),
  field('public_url', url, 'The address of the gateway for its clients and for browsers, without `/mcp`. Required for `auth`.', by('none')),
  field('auth', auth, 'Logins of clients at authorization servers (OAuth 2.1), in addition to `tokens`.', by('none')),
  field('endpoints', map(endpoint), 'Further MCP endpoints, `/mcp/<name>`, each with a part of the tools.', by({})),
  field(
    'session_key',
    secretReference,
    'The key of session ids, at least 32 characters. Gateways with the same key accept sessions of each other.',
    by("a key in the trace store's database, or in a file next to it"),
  ),
  field('allowed_hosts', list(hostName), 'Allowed values of `Host` besides its own address and the names of loopback.', by([])),
  field('allowed_origins', list(origin), "Allowed values of `Origin` besides the gateway's own.", by([])),
  field('limits', limitFields, 'Limits.', by({})),
  field('names', nameFields, 'How names of offered tools are formed.', by({})),
  field(
    'tools',
    choice('all', 'search'),
    'Which tools clients see: `all`, or with `search` two that find and call the others, `find_tool` and `call_tool`.',
    by(gatewayDefaults.tools),
  ),
  field(
    'pinned_tools',
    list(text),
    'With `tools: search`, tools that are offered in addition to those two, by their offered names; `*` and `?` are wildcards.',
    by(gatewayDefaults.pinnedTools),
  ),
  field('results', resultFields, 'What happens to large results.', by({})),
  field(
    'heartbeat_ms',
    either(off, { ...period, minimum: 100 }),
    'How often the client gets progress while a call runs. `false`: never.',
    by(gatewayDefaults.heartbeatMs),
  ),
  field('input_timeout_ms', period, "How long a client may take to answer a server's question.", by(gatewayDefaults.inputTimeoutMs)),
  field('drain_ms', timer, 'How long running calls may continue when the gateway shuts down.', by(gatewayDefaults.drainMs)),
  field(
    'tool_lock',
    choice('off', 'warn', 'block'),
    'What happens when the definition of a tool, a prompt or a resource differs from the lock file.',
    by(gatewayDefaults.toolLock),
  ),
  field('lock_file', path, 'The lock file.', by(lockFileName)),
  field('audit', either(off, path), 'A file with one line per call. `false`: none.', by(gatewayDefaults.audit)),
  field('log', choice('json', 'text', 'off'), 'One line per call on standard error.', by(gatewayDefaults.log)),
  field(
    'history',
    historyFields,
    "The history for the dashboard: `history.db` next to the trace store's file, or in memory without a store.",
    by({}),
  ),
  field('reload', boolean, 'Whether the manifest is reloaded when it changes.', by(gatewayDefaults.reload)),
  field('models', models, 'Model providers whose API the gateway serves too, with repairs and checks.', by({})),
);
