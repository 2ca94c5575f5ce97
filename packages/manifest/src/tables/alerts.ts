/** Owns the table of `alerts`. Its defaults are in `entries/defaults.ts`. */
import { alertRuleDefaults, alertsDefaults, receiverDefaults } from '../entries/defaults.ts';
import {
  boolean,
  choice,
  count,
  either,
  field,
  formed,
  list,
  milliseconds,
  record,
  share,
  url,
  type FieldOptions,
  type RecordShape,
  type TextShape,
} from '../shape/shape.ts';
import { headers, period, secretReference, timer } from './texts.ts';

const by = (standard: unknown): FieldOptions => ({ default: standard });

const rules: RecordShape = record(
  'alert_rules',
  field('strict', boolean, 'The bare share or mean of any number of calls counts, at once.', by(alertRuleDefaults.strict)),
  field(
    'failure_rate',
    { ...share, maximum: 0.99 },
    'The share of failed calls of a tool, above which it is too high.',
    by(alertRuleDefaults.failureRate),
  ),
  field(
    'execution_time_ms',
    milliseconds,
    "The mean time of a tool's attempts, above which it is too slow.",
    by(alertRuleDefaults.executionTimeMs),
  ),
  field('minimum_calls', count(1), 'Calls within the window before a share or mean means anything.', by(alertRuleDefaults.minimumCalls)),
  field(
    'window_ms',
    { ...period, minimum: 1_000, maximum: 3_600_000 },
    'How far back shares and means look.',
    by(alertRuleDefaults.windowMs),
  ),
);

const receiverName = formed('^[A-Za-z0-9_-]{1,64}$', "1 to 64 letters, digits, '_' and '-'");
const labelName = formed('^[A-Za-z_][A-Za-z0-9_]*$', 'the name of a label such as alertname or tool');
/** An address may contain a secret. */
const address: TextShape = { ...url, secret: true };

const receiver: RecordShape = record(
  'receiver',
  field('name', receiverName, 'What it is called in the delivery log.', { required: true }),
  field(
    'kind',
    choice('webhook', 'signed_webhook', 'slack', 'pagerduty', 'alertmanager'),
    '`webhook`: what an Alertmanager sends. `signed_webhook`: the same, signed. `alertmanager`: handed to an Alertmanager.',
    { required: true },
  ),
  field('url', either(address, secretReference), 'Where to. Of `slack` it is a secret; `pagerduty` has one of its own.'),
  field('headers', headers, 'Further headers of each request.', by(receiverDefaults.headers)),
  field('secret', secretReference, 'What a `signed_webhook` is signed with.'),
  field('routing_key', secretReference, 'The integration of `pagerduty`.'),
  field('send_resolved', boolean, 'The end of an alert is told too.', by(receiverDefaults.sendResolved)),
);

export const alertsShape: RecordShape = record(
  'alerts',
  field('enabled', boolean, 'Whether `holdfast serve` watches for anything.', by(alertsDefaults.enabled)),
  field('interval_ms', { ...period, minimum: 1_000 }, 'Between two looks at the rules.', by(alertsDefaults.intervalMs)),
  field('rules', rules, 'What the rules fire at.', by({})),
  field('receivers', list(receiver), 'Who is told.', by([])),
  field('group_by', list(labelName), 'Labels that all alerts of one notification share. Empty: one for all.', by(alertsDefaults.groupBy)),
  field('group_wait_ms', timer, 'How long a notification waits for further alerts.', by(alertsDefaults.groupWaitMs)),
  field(
    'repeat_interval_ms',
    { ...period, minimum: 60_000 },
    'What continues firing is told again this often.',
    by(alertsDefaults.repeatIntervalMs),
  ),
  field('dashboard_url', url, 'Where links in notifications lead.', by("the gateway's address")),
);
