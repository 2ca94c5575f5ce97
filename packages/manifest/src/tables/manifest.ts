/** Owns the table of `holdfast.yaml`. */
import { sharedCircuitsDefault } from '../entries/engine.ts';
import { choice, field, identifier, list, map, oneOrMore, record, schema, text, type Field, type RecordShape } from '../shape/shape.ts';
import { category, classificationRule } from './classification.ts';
import { alertsShape } from './alerts.ts';
import { engineShape, workerShape } from './engine.ts';
import { gatewayShape } from './gateway.ts';
import { defaultsShape, policyFields, recoveryFields, turnShape } from './policy.ts';
import { enabled, runShape } from './run.ts';
import { storeShape } from './store.ts';
import { telemetryShape } from './telemetry.ts';
import { validationRetriesShape } from './validation-retries.ts';
import { mcpServerShape, openapiShape } from './upstream.ts';

const effect = choice('read', 'idempotent', 'unsafe');
const strategy = choice('retry', 'use_alternative', 'use_default', 'accept_partial');
const required = { required: true } as const;

const policyCondition: RecordShape = record(
  'when',
  field('tool', oneOrMore(identifier), 'One of these tools.'),
  field('category', oneOrMore(category), 'One of these kinds of failure.'),
  field('classification', oneOrMore(choice('transient', 'permanent', 'neutral')), 'One of these classes.'),
  field('effect', oneOrMore(effect), 'A tool with one of these effects.'),
  field('turn', oneOrMore(text), 'A turn with one of these ids.'),
);

export const recoveryRule: RecordShape = record(
  'recovery_rules',
  field('name', text, 'Its name in the trace.', required),
  field('when', policyCondition, 'All conditions must hold; of a list, one entry. Absent: always.', { default: {} }),
  field('allow', oneOrMore(strategy), 'Allows these strategies, whatever later rules deny.'),
  field('deny', oneOrMore(strategy), 'Forbids these strategies.'),
  field('prefer', strategy, 'Tries this strategy first.'),
  field('reason', text, 'The reason, for readers of the trace.'),
);

const toolFields: readonly Field[] = [
  field('id', identifier, "The tool's name, as the model calls it.", { ...required, property: 'name' }),
  field('description', text, 'The description for the model.'),
  enabled,
  field('run', runShape, 'How it is run: exactly one way.', required),
  field('input_schema', schema, 'Arguments are checked against it before the tool runs.', { property: 'input' }),
  field('output_schema', schema, 'An output that violates it is a permanent failure.', { property: 'output' }),
  ...recoveryFields,
  field('classification', list(classificationRule), 'Overrides of the error classification; the first match wins.', {
    default: [],
  }),
  ...policyFields,
  field('validation_retries', validationRetriesShape, 'How often and when a model may correct invalid arguments, in an agent run.', {
    default: 'as in the run',
  }),
];

const toolShape: RecordShape = record('tool', ...toolFields);

export const version: Field = field('version', { kind: 'literal', value: 1 }, 'The version of this format.', { default: 1 });

export const memory: Field = field('memory', choice('on', 'off'), 'Whether episodic memory is kept, and influences decisions.', {
  default: 'as in the profile: `on` in adaptive, `off` in spec and service',
});

const wholeFile: RecordShape = record(
  'manifest',
  version,
  field('profile', choice('spec', 'service', 'adaptive'), 'The profile with the initial values of all settings.', { default: 'spec' }),
  memory,
  field('seed', text, 'Makes jitter reproducible.', { default: 'random per process' }),
  field('defaults', defaultsShape, "Settings of all tools; a tool's own settings override them.", {
    default: {},
    otherNames: ['policy'],
  }),
  field('turn', turnShape, 'Settings of turns.', { default: {} }),
  field('store', storeShape, 'Where the trace is stored: a file, or a database. `false`: in memory only.', { default: {} }),
  field('capture', choice('none', 'arguments', 'all'), 'Which data of a call is kept in the trace, redacted.', {
    default: 'none',
  }),
  field(
    'redact',
    list(text),
    'Further secrets: the name of an environment variable (in capital letters) whose value is redacted, or a regular expression.',
    { default: [] },
  ),
  field('mcp_servers', map(mcpServerShape), 'MCP servers by name. A server is started at its first call.', {
    default: {},
    otherNames: ['servers'],
  }),
  field('openapi', map(openapiShape), 'HTTP APIs by name: every operation of an OpenAPI document is a tool.', { default: {} }),
  field('gateway', gatewayShape, 'Settings of `holdfast serve`.', { default: {} }),
  field('engine', engineShape, 'The engine that runs turns of the Turn API, so that they survive the death of any process.', {
    default: 'none: turns run in the gateway',
  }),
  field('worker', workerShape, 'Settings of `holdfast worker`, which runs turns for the engine.', { default: {} }),
  field(
    'shared_circuits',
    choice('off', 'restate', 'postgres'),
    'Where the circuits that all processes share are stored: in the engine, or in the database of `store`. `off`: each process has its own.',
    { default: sharedCircuitsDefault },
  ),
  field('telemetry', telemetryShape, 'Where `holdfast serve` and `holdfast worker` send spans.', { default: {} }),
  field('alerts', alertsShape, 'Alert rules and receivers of `holdfast serve`.', { default: {} }),
  field('recovery_rules', list(recoveryRule), 'Rules that allow, deny or prefer a strategy.', {
    default: [],
    otherNames: ['policies', 'rules'],
  }),
  field('tools', list(toolShape), 'The tools. Required unless `mcp_servers`, `openapi` or `gateway` is set.', { default: [] }),
);

export const manifestShape: RecordShape = { ...wholeFile, oneOf: ['tools', 'mcp_servers', 'openapi', 'gateway'] };

/** A file that declares one tool. */
export const singleToolShape: RecordShape = record('manifest', version, field('tool', toolShape, 'The tool.', required));
