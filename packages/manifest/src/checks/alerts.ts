/** Owns the checks of `alerts` that look at more than one value. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import type { Checking } from './checking.ts';
import { checkCredentials, reportPlainSecret } from './sources.ts';

type Plain = Readonly<Record<string, unknown>>;

/** The required and the optional fields of each kind. */
const keysOfKinds: Readonly<Record<string, { readonly needs: readonly string[]; readonly takes: readonly string[] }>> = {
  webhook: { needs: ['url'], takes: [] },
  signed_webhook: { needs: ['url', 'secret'], takes: [] },
  slack: { needs: ['url'], takes: [] },
  pagerduty: { needs: ['routing_key'], takes: ['url'] },
  alertmanager: { needs: ['url'], takes: [] },
};
const keysOfSome = ['url', 'secret', 'routing_key'];

export function checkAlerts(alerts: Plain, checking: Checking): void {
  const receivers = Array.isArray(alerts['receivers']) ? (alerts['receivers'] as readonly unknown[]) : [];
  const first = new Map<unknown, number>();
  for (const [index, receiver] of receivers.entries()) {
    if (!isRecord(receiver)) continue;
    const path: readonly PathStep[] = ['alerts', 'receivers', index];
    checkName(receiver['name'], index, first, checking);
    checkKeys(receiver, path, checking);
    checkSlack(receiver, path, checking);
    checkUserInfo(receiver, path, checking);
    checkCredentials(receiver, path, checking);
  }
}

function checkName(name: unknown, index: number, first: Map<unknown, number>, { source, reading }: Checking): void {
  if (typeof name !== 'string') return;
  const earlier = first.get(name);
  if (earlier === undefined) {
    first.set(name, index);
    return;
  }
  const path = ['alerts', 'receivers', index, 'name'];
  const { line } = source.lines.linePos(reading.at('alerts', 'receivers', earlier, 'name')[0]);
  const message = `two receivers have the name ${quote(name)}; the first is in line ${line}`;
  source.report({ code: 'duplicate_id', at: reading.at(...path), path, message });
}

function checkKeys(receiver: Plain, path: readonly PathStep[], { source, reading }: Checking): void {
  const kind = String(receiver['kind']);
  const keys = keysOfKinds[kind];
  if (!keys) return;
  for (const key of keys.needs) {
    if (receiver[key] !== undefined || reading.has(...path, key)) continue;
    const allowed = key === 'url' ? 'url: https://…, or url: { env: NAME_OF_A_VARIABLE }' : `${key}: { env: NAME_OF_A_VARIABLE }`;
    source.report({
      code: 'missing_key',
      at: reading.at(...path),
      path: [...path, key],
      message: `a receiver of kind ${quote(kind)} needs ${quote(key)}`,
      allowed,
    });
  }
  for (const key of keysOfSome) {
    if (receiver[key] === undefined || keys.needs.includes(key) || keys.takes.includes(key)) continue;
    const where = [...path, key];
    source.report({
      code: 'not_allowed',
      at: reading.keyAt(...where),
      path: where,
      message: `a receiver of kind ${quote(kind)} has no field ${quote(key)}`,
      allowed: [...keys.needs, ...keys.takes].join(', '),
    });
  }
}

/** The address of a Slack webhook is a secret: it is enough to post. */
function checkSlack({ kind, url }: Plain, path: readonly PathStep[], checking: Checking): void {
  if (kind !== 'slack' || typeof url !== 'string') return;
  reportPlainSecret([...path, 'url'], checking, "'url' of a Slack webhook", '{ env: NAME_OF_A_VARIABLE }');
}

/** Requests to such an address are refused before they are sent. */
function checkUserInfo({ url }: Plain, path: readonly PathStep[], { source, reading }: Checking): void {
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const { username, password } = new URL(url);
  if (username === '' && password === '') return;
  const where = [...path, 'url'];
  source.report({
    code: 'not_allowed',
    at: reading.keyAt(...where),
    path: where,
    message: "'url' contains a user or a password, so no request can be sent to it",
    allowed: "a URL without them, and headers: { authorization: { env: NAME_OF_A_VARIABLE, prefix: 'Basic ' } }",
  });
}
