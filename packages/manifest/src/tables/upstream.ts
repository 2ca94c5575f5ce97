/** Owns the tables of the sources of tools: MCP servers and OpenAPI documents. */
import { mcpDefaults, offerDefaults } from '../entries/defaults.ts';
import { boolean, choice, field, identifier, list, map, path, record, text, url, type Field, type RecordShape } from '../shape/shape.ts';
import { classificationRule } from './classification.ts';
import { defaultsShape, policyFields, recoveryFields } from './policy.ts';
import { childFields, enabled } from './run.ts';
import { addresses, addressesDoc, bytes, headers, host, period, prefix, timer } from './texts.ts';

const offeredTool: RecordShape = record(
  'offered_tool',
  field('name', identifier, 'What the tool is offered as; nothing is put in front of it.', {
    default: "the prefix and the tool's own name",
  }),
  field('description', text, 'What the model reads about it.', { default: "the source's own" }),
  enabled,
  ...recoveryFields,
  field('classification', list(classificationRule), 'Overrides of the error classification; the first match wins.', { default: [] }),
  ...policyFields,
);

const offerFields = (tools: string): readonly Field[] => [
  field('prefix', prefix, 'Put in front of the names of its tools, with `gateway.names.separator` between. Empty: none.', {
    default: "the source's name",
  }),
  field('include', list(text), `Which ${tools} are offered; \`*\` and \`?\` stand for what they do in file names.`, {
    default: offerDefaults.include,
  }),
  field('exclude', list(text), `Which ${tools} are not; it goes before \`include\`.`, { default: offerDefaults.exclude }),
  field('defaults', defaultsShape, 'Settings of all its tools. They go before those of the whole file.', {
    default: offerDefaults.defaults,
  }),
  field('tools', map(offeredTool), `Settings of single ${tools}.`, { default: offerDefaults.tools }),
];

/** A server that is started as a program, or reached over HTTP. */
export const mcpServerShape: RecordShape = record(
  'mcp_server',
  field('command', text, 'The program that is the server.'),
  ...childFields,
  field('url', url, 'The address of a server that runs already.'),
  field('headers', headers, 'Headers of each request to `url`.'),
  field('inherit_env', list(text), 'Variables of this process that the program inherits.'),
  field(
    'protocol',
    choice('auto', 'legacy', 'modern'),
    'The protocol revision to speak: up to 2025-11-25, 2026-07-28, or what the server takes.',
    { default: 'auto' },
  ),
  field('startup_timeout_ms', timer, 'How long starting and greeting the server may take.', { default: 30_000 }),
  field('health_timeout_ms', timer, 'A started server that takes longer to answer a ping after an aborted call is started anew.', {
    default: 2000,
  }),
  field('grace_ms', timer, 'At the end: for the server to go by itself, and again between SIGTERM and SIGKILL.', { default: 1000 }),
  field('max_message_bytes', { ...bytes, minimum: 1024 }, 'A longer message fails its call.', { default: 67_108_864 }),
  field('restart_delay_ms', timer, 'Before the second restart in a row; doubled each time.', { default: 250 }),
  field('max_restart_delay_ms', timer, 'No restart waits longer.', { default: 30_000 }),
  field('expose', boolean, 'Whether a gateway offers its tools. Tools of this file can use it in any case.', {
    default: mcpDefaults.expose,
  }),
  ...offerFields('tools of the server'),
  field(
    'trust_annotations',
    boolean,
    'Whether its annotations say what a tool does to the world. Otherwise every tool without an `effect` here counts as unsafe.',
    { default: mcpDefaults.trustAnnotations },
  ),
  field('idle_timeout_ms', period, 'An attempt ends when there is neither progress nor an answer for this long.', { default: 'none' }),
);

/** An HTTP API. */
export const openapiShape: RecordShape = record(
  'openapi',
  field('spec', path, 'The OpenAPI document (3.0 or 3.1), JSON or YAML. References lead only to files of its folder.', { required: true }),
  field('base_url', url, 'Where the API is.', { default: 'the first server of the document' }),
  field('headers', headers, 'Headers of each request, such as credentials.', { default: {} }),
  field('allowed_hosts', list(host), 'Hosts that may be asked, redirects included.', { default: 'the host of `base_url`' }),
  field('addresses', addresses, addressesDoc, { default: 'network' }),
  ...offerFields('operations'),
);
