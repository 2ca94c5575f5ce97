/** Owns the tables of the sources of tools: MCP servers and OpenAPI documents. */
import { mcpAuthDefaults, mcpDefaults, offerDefaults } from '../entries/defaults.ts';
import {
  boolean,
  choice,
  either,
  field,
  identifier,
  list,
  map,
  path,
  record,
  text,
  url,
  type Field,
  type RecordShape,
} from '../shape/shape.ts';
import { classificationRule } from './classification.ts';
import { defaultsShape, policyFields, recoveryFields } from './policy.ts';
import { childFields, enabled } from './run.ts';
import { addresses, addressesDoc, by, bytes, headers, host, period, prefix, secretReference, timer } from './strings.ts';

const offeredTool: RecordShape = record(
  'offered_tool',
  field('name', identifier, 'The name under which the tool is offered, without a prefix.', {
    default: "the prefix and the tool's own name",
  }),
  field('description', text, 'The description for the model.', { default: "the source's description" }),
  enabled,
  ...recoveryFields,
  field('classification', list(classificationRule), 'Overrides of the error classification; the first match wins.', { default: [] }),
  ...policyFields,
);

const offerFields = (tools: string): readonly Field[] => [
  field('prefix', prefix, 'The prefix of the names of its tools, followed by `gateway.names.separator`. Empty: none.', {
    default: "the source's name",
  }),
  field('include', list(text), `Which ${tools} are offered; \`*\` and \`?\` are wildcards.`, {
    default: offerDefaults.include,
  }),
  field('exclude', list(text), `Which ${tools} are not offered; it overrides \`include\`.`, { default: offerDefaults.exclude }),
  field('defaults', defaultsShape, 'Settings of all its tools. They override `defaults` of the file.', {
    default: offerDefaults.defaults,
  }),
  field('tools', map(offeredTool), `Settings of single ${tools}.`, { default: offerDefaults.tools }),
];

const authType = choice('oauth', 'client_credentials', 'token_exchange');

const identityProvider: RecordShape = record(
  'identity_provider',
  field('issuer', url, 'The issuer, exactly as in its metadata.', { required: true }),
  field('client_id', either(text, secretReference), 'The id of the gateway there.', { required: true }),
  field('client_secret', secretReference, 'Its secret.', by('none')),
);

const auth: RecordShape = record(
  'server_auth',
  field(
    'type',
    authType,
    '`oauth`: a person logs in, with `holdfast login`. `client_credentials`: the gateway logs in with its own credentials. `token_exchange`: the token of the caller is exchanged for one of the server.',
    { required: true },
  ),
  field(
    'client_id',
    either(text, secretReference),
    'The id of the gateway at the authorization server.',
    by('the gateway registers itself'),
  ),
  field('client_secret', secretReference, 'Its secret.', by('none')),
  field('private_key', secretReference, 'Its key, PKCS #8 in PEM form, in place of a secret (`private_key_jwt`).', by('none')),
  field('algorithm', choice('ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'), 'The algorithm of `private_key`.', by('ES256')),
  field(
    'assertion',
    secretReference,
    'With `client_credentials`: a token of the workload itself, in place of a secret (RFC 7523).',
    by('none'),
  ),
  field(
    'client_authentication',
    choice('basic', 'post', 'private_key_jwt', 'none'),
    'How the gateway proves who it is.',
    by('what the authorization server supports'),
  ),
  field(
    'client_metadata_url',
    url,
    'The https address of a document that describes the gateway (client id metadata document).',
    by('none'),
  ),
  field('issuer', url, 'The only accepted authorization server, exactly as in its metadata.', by('the first that the server names')),
  field('resource', url, 'The server, as its authorization server knows it.', by("the server's `url`")),
  field('send_resource', boolean, 'Whether `resource` is sent. Some authorization servers refuse it.', by(mcpAuthDefaults.sendResource)),
  field('scopes', list(text), 'Scopes to request.', by('those that the server asks for')),
  field('redirect_url', url, 'Where the browser is sent after `holdfast login`.', by('an address of this machine, with port 7341')),
  field('dpop', boolean, 'Whether tokens are bound to a key (RFC 9449).', by('if the server requires it')),
  field('subject_token', secretReference, 'With `token_exchange`: a fixed token, in place of the token of the caller.', by('none')),
  field(
    'subject_token_type',
    choice('access_token', 'id_token', 'jwt'),
    'With `token_exchange`: the kind of the exchanged token.',
    by(mcpAuthDefaults.subjectTokenType),
  ),
  field('audience', text, 'With `token_exchange`: the `audience` to request.', by('none')),
  field(
    'identity_provider',
    identityProvider,
    "With `token_exchange`: the identity provider whose grant (ID-JAG) the server's authorization server accepts.",
    by('none'),
  ),
  field(
    'addresses',
    addresses,
    'To which addresses the names of authorization servers may resolve.',
    by('`network`; `any` for a server on this machine'),
  ),
);

/** A server that is started as a program, or reached over HTTP. */
const transport =
  'it follows from the address, so leave it out: `url` is Streamable HTTP, `command` is stdio. A server that has only the older HTTP+SSE needs a bridge: command: npx, args: [-y, mcp-remote, <url>, --transport, sse-only]';

const mcpServerFields: RecordShape = record(
  'mcp_server',
  field('command', text, 'The program of the server.'),
  ...childFields,
  field('url', url, 'The address of a running server.'),
  field('headers', headers, 'Headers of each request to `url`.'),
  field(
    'auth',
    either(authType, auth),
    'How the gateway gets access tokens for `url` (OAuth 2.1). A word is the `type` alone.',
    by('none'),
  ),
  field('inherit_env', list(text), 'Variables of this process that the program inherits.'),
  field(
    'protocol',
    choice('auto', 'legacy', 'modern'),
    'The protocol revision: up to 2025-11-25, 2026-07-28, or what the server supports.',
    { default: 'auto' },
  ),
  field('startup_timeout_ms', timer, 'The time limit for starting and initializing the server.', { default: 30_000 }),
  field('health_timeout_ms', timer, 'A started server that takes longer to answer a ping after an aborted call is restarted.', {
    default: 2000,
  }),
  field('grace_ms', timer, 'At shutdown: how long the server may take to exit, and again between SIGTERM and SIGKILL.', { default: 1000 }),
  field('max_message_bytes', { ...bytes, minimum: 1024 }, 'A longer message of the server fails its call.', { default: 33_554_432 }),
  field('restart_delay_ms', timer, 'Before the second restart in a row; doubled each time.', { default: 250 }),
  field('max_restart_delay_ms', timer, 'The longest delay of a restart.', { default: 30_000 }),
  field('expose', boolean, 'Whether a gateway offers its tools. Tools of this file can use it in any case.', {
    default: mcpDefaults.expose,
  }),
  ...offerFields('tools of the server'),
  field(
    'trust_annotations',
    boolean,
    'Whether the effect of its tools is read from their annotations. Otherwise every tool without an `effect` here counts as unsafe.',
    { default: mcpDefaults.trustAnnotations },
  ),
  field(
    'isolation',
    choice('shared', 'per_session', 'per_principal'),
    'Whether clients share a connection to it, and over stdio a process. For servers that keep state, such as a browser: one for each session, or for each client.',
    { default: mcpDefaults.isolation },
  ),
  field('idle_timeout_ms', period, 'The `idle_timeout_ms` of its tools that have none of their own.', { default: 'none' }),
);

export const mcpServerShape: RecordShape = { ...mcpServerFields, foreign: { type: transport, transport } };

/** An HTTP API. */
export const openapiShape: RecordShape = record(
  'openapi',
  field('spec', path, 'The OpenAPI document (3.0 or 3.1), JSON or YAML. References may point only to files in its folder.', {
    required: true,
  }),
  field('base_url', url, 'The address of the API.', { default: 'the first server of the document' }),
  field('headers', headers, 'Headers of each request, such as credentials.', { default: {} }),
  field('allowed_hosts', list(host), 'Hosts that may be requested, including redirects.', { default: 'the host of `base_url`' }),
  field('addresses', addresses, addressesDoc, { default: 'network' }),
  ...offerFields('operations'),
);
