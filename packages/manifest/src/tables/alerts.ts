/** Owns the table of `alerts`. Its defaults are in `entries/defaults.ts`. */
import { alertRuleDefaults, alertsDefaults, receiverDefaults } from '../entries/defaults.ts';
import {
  boolean,
  choice,
  count,
  either,
  field,
  textOfForm,
  list,
  milliseconds,
  record,
  share,
  url,
  type RecordShape,
  type TextShape,
} from '../shape/shape.ts';
import { by, headers, period, secretReference, timer } from './strings.ts';

const rules: RecordShape = record(
  'alert_rules',
  field('strict', boolean, 'Rules use the plain share or mean of any number of calls, and fire at once.', by(alertRuleDefaults.strict)),
  field(
    'failure_rate',
    { ...share, maximum: 0.99 },
    'The rule fires if the share of failed calls of a tool is above this.',
    by(alertRuleDefaults.failureRate),
  ),
  field(
    'execution_time_ms',
    milliseconds,
    "The rule fires if the mean time of a tool's attempts is above this.",
    by(alertRuleDefaults.executionTimeMs),
  ),
  field('minimum_calls', count(1), 'Calls within the window that a share or mean needs.', by(alertRuleDefaults.minimumCalls)),
  field(
    'window_ms',
    { ...period, minimum: 1_000, maximum: 3_600_000 },
    'The time window of shares and means.',
    by(alertRuleDefaults.windowMs),
  ),
);

const receiverName = textOfForm('^[A-Za-z0-9_-]{1,64}$', "1 to 64 letters, digits, '_' and '-'");
const labelName = textOfForm('^[A-Za-z_][A-Za-z0-9_]*$', 'the name of a label such as alertname or tool');
/** An address may contain a secret. */
const address: TextShape = { ...url, secret: true };

const receiver: RecordShape = record(
  'receiver',
  field('name', receiverName, 'Its name in the delivery log.', { required: true }),
  field(
    'kind',
    choice('webhook', 'signed_webhook', 'slack', 'pagerduty', 'alertmanager'),
    "`webhook`: Alertmanager's webhook. `signed_webhook`: the same, signed. `alertmanager`: the API of an Alertmanager.",
    { required: true },
  ),
  field('url', either(address, secretReference), 'The address. For `slack` it is a secret; `pagerduty` has a default.'),
  field('headers', headers, 'Further headers of each request.', by(receiverDefaults.headers)),
  field('secret', secretReference, 'The key of a `signed_webhook`.'),
  field('routing_key', secretReference, 'The integration key of `pagerduty`.'),
  field('send_resolved', boolean, 'Whether the end of an alert is sent too.', by(receiverDefaults.sendResolved)),
);

export const alertsShape: RecordShape = record(
  'alerts',
  field('enabled', boolean, 'Whether `holdfast serve` evaluates the rules.', by(alertsDefaults.enabled)),
  field('interval_ms', { ...period, minimum: 1_000 }, 'The time between two evaluations.', by(alertsDefaults.intervalMs)),
  field('rules', rules, 'The thresholds of the rules.', by({})),
  field('receivers', list(receiver), 'Where notifications are sent.', by([])),
  field(
    'group_by',
    list(labelName),
    'Labels by which alerts are grouped into notifications. Empty: one group.',
    by(alertsDefaults.groupBy),
  ),
  field('group_wait_ms', timer, 'How long a new group waits for further alerts.', by(alertsDefaults.groupWaitMs)),
  field(
    'group_interval_ms',
    timer,
    'The time between two notifications of a group, unless it has a new alert.',
    by(alertsDefaults.groupIntervalMs),
  ),
  field(
    'repeat_interval_ms',
    { ...period, minimum: 60_000 },
    'How often an alert that continues to fire is sent again.',
    by(alertsDefaults.repeatIntervalMs),
  ),
  field('dashboard_url', url, 'The base address of links in notifications.', by("the gateway's address")),
);
