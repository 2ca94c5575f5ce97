import { expect, test } from 'vitest';
import { formatProblem, parseManifest, serviceOptions, type Problem } from '../src/index.ts';

const tool = 'tools: [{ id: a, run: { module: ./a.mjs } }]\n';

/** `line:column code path: message | allowed` */
const brief = ({ line, column, code, path, message, allowed }: Problem): string =>
  `${line}:${column} ${code} ${path}: ${message}${allowed === undefined ? '' : ` | allowed ${allowed}`}`;

const problemsOf = (text: string): readonly string[] => parseManifest(text, { env: { HOOK: 'https://h/' } }).problems.map(brief);

const cases: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ['empty', ''],
  ['a webhook', "alerts: { receivers: [{ name: a, kind: webhook, url: 'https://h/' }] }\n"],
  [
    'a Slack webhook from the environment',
    'alerts: { receivers: [{ name: a, kind: slack, url: { env: HOOK } }, { name: b, kind: slack, url: "${env:HOOK}" }] }\n',
  ],
  ['PagerDuty', 'alerts: { receivers: [{ name: a, kind: pagerduty, routing_key: { env: KEY } }] }\n'],
  [
    'a share above one, and an interval that is too short',
    'alerts: { interval_ms: 10, rules: { failure_rate: 5 } }\n',
    '1:24 out_of_range alerts.interval_ms: interval_ms is 10 | allowed a whole number of milliseconds from 1000 to 2147483647',
    '1:51 out_of_range alerts.rules.failure_rate: failure_rate is 5 | allowed a number above 0 and up to 0.99',
  ],
  [
    'a receiver without a required field',
    'alerts: { receivers: [{ name: a, kind: slack }, { name: b, kind: signed_webhook, url: { env: HOOK } }, { name: c, kind: pagerduty }] }\n',
    "1:23 missing_key alerts.receivers[0].url: a receiver of kind 'slack' needs 'url' | allowed url: https://…, or url: { env: NAME_OF_A_VARIABLE }",
    "1:49 missing_key alerts.receivers[1].secret: a receiver of kind 'signed_webhook' needs 'secret' | allowed secret: { env: NAME_OF_A_VARIABLE }",
    "1:104 missing_key alerts.receivers[2].routing_key: a receiver of kind 'pagerduty' needs 'routing_key' | allowed routing_key: { env: NAME_OF_A_VARIABLE }",
  ],
  [
    'a receiver with an unsupported field',
    "alerts: { receivers: [{ name: a, kind: webhook, url: 'https://h/', secret: { env: S } }] }\n",
    "1:68 not_allowed alerts.receivers[0].secret: a receiver of kind 'webhook' has no field 'secret' | allowed url",
  ],
  [
    'two receivers with one name',
    "alerts:\n  receivers:\n    - { name: a, kind: webhook, url: 'https://h/' }\n    - { name: a, kind: webhook, url: 'https://h/' }\n",
    "4:15 duplicate_id alerts.receivers[1].name: two receivers have the name 'a'; the first is in line 3",
  ],
];

test.each(cases)('%s', (_, text, ...expected) => {
  expect(problemsOf(text + tool)).toEqual(expected);
});

test('a secret in the wrong place is in no message', () => {
  const text = `alerts:
  receivers:
    - { name: a, kind: slack, url: 'https://hooks.slack.com/s3cr3t-1' }
    - { name: b, kind: slack, url: s3cr3t-2 }
    - { name: c, kind: signed_webhook, url: 'https://h/', secret: s3cr3t-3 }
    - { name: d, kind: pagerduty, routing_key: { env: 's3cr3t-4' } }
    - { name: e, kind: webhook, url: 'https://h/', headers: { authorization: s3cr3t-5 } }
`;
  const { problems } = parseManifest(text + tool, { env: {} });
  expect(problems.map(({ line, code }) => `${line} ${code}`)).toEqual([
    '3 not_allowed',
    '4 bad_url',
    '5 wrong_type',
    '6 bad_identifier',
    '7 not_allowed',
  ]);
  expect(JSON.stringify(problems)).not.toContain('s3cr3t');
});

test.each(['http://user:s3cr3t@h/', 'https://s3cr3t@h/', 'https://:s3cr3t@h/', '${env:HOOK}'])(
  'an address with a user or a password is refused, and not repeated: %s',
  (url) => {
    const text = `alerts: { receivers: [{ name: a, kind: webhook, url: '${url}' }] }\n${tool}`;
    const { problems } = parseManifest(text, { env: { HOOK: 'https://user:s3cr3t@h/' } });
    expect(problems.map(brief)).toEqual([
      "1:49 not_allowed alerts.receivers[0].url: 'url' contains a user or a password, so no request can be sent to it | allowed a URL without them, and headers: { authorization: { env: NAME_OF_A_VARIABLE, prefix: 'Basic ' } }",
    ]);
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
    expect(problems.map((problem) => formatProblem(problem, { source: text })).join('\n')).not.toContain('s3cr3t');
  },
);

test('values from the environment are redacted in every text', () => {
  const text = `${tool}alerts: { receivers: [{ name: a, kind: slack, url: { env: HOOK } }, { name: b, kind: pagerduty, routing_key: { env: KEY } }] }\n`;
  const { manifest } = parseManifest(text, { env: {} });
  expect(manifest).toBeDefined();
  const environment = { HOOK: 'https://hooks.example.com/very-secret', KEY: 'routing-key-of-ours' };
  const { redact } = serviceOptions(manifest as NonNullable<typeof manifest>, environment);
  expect(redact?.secrets).toEqual(expect.arrayContaining(Object.values(environment)));
});

test('absent settings have their defaults', () => {
  const { manifest } = parseManifest(
    `${tool}alerts: { rules: { strict: true }, receivers: [{ name: a, kind: webhook, url: 'https://h/' }] }\n`,
  );
  expect(manifest?.alerts).toMatchObject({
    enabled: true,
    rules: { strict: true },
    receivers: [{ name: 'a', kind: 'webhook', url: 'https://h/', headers: {}, sendResolved: true }],
  });
});
