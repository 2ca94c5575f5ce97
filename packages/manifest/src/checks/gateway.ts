/** Owns the checks of `gateway` that look at more than one value. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import { checkCredentials } from './sources.ts';
import type { Checking } from './checking.ts';

type Plain = Readonly<Record<string, unknown>>;

export function checkGateway(gateway: Plain, checking: Checking): void {
  checkListen(gateway, checking);
  checkTokens(gateway, checking);
  const models = isRecord(gateway['models']) ? gateway['models'] : {};
  for (const [provider, model] of Object.entries(models)) {
    if (isRecord(model)) checkCredentials(model, ['gateway', 'models', provider], checking);
  }
}

function checkListen(gateway: Plain, { source, reading }: Checking): void {
  const listen = isRecord(gateway['listen']) ? gateway['listen'] : {};
  const path: readonly PathStep[] = ['gateway', 'listen'];
  if (listen['path'] !== undefined) {
    for (const key of ['host', 'port']) {
      if (listen[key] === undefined) continue;
      const where = [...path, key];
      const message = `${quote(key)} cannot be combined with 'path'`;
      source.report({ code: 'run_kind', at: reading.keyAt(...where), path: where, message, allowed: 'path, or host and port' });
    }
    return;
  }
  const host = listen['host'];
  if (typeof host !== 'string' || isLoopback(host) || hasTokens(gateway)) return;
  source.report({
    code: 'not_allowed',
    at: reading.at(...path, 'host'),
    path: [...path, 'host'],
    message: `${quote(host)} can be reached from other machines, and gateway.tokens is empty`,
    allowed: 'gateway.tokens: [{ name: …, env: NAME_OF_A_VARIABLE }], or host: 127.0.0.1',
  });
}

const hasTokens = (gateway: Plain): boolean => Array.isArray(gateway['tokens']) && gateway['tokens'].length > 0;

/** 127.0.0.0/8, `::1` in any notation, and `localhost`. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (/^127(\.\d{1,3}){3}$/.test(bare)) return true;
  return bare.includes(':') && URL.canParse(`http://[${bare}]`) && new URL(`http://[${bare}]`).hostname === '[::1]';
}

function checkTokens(gateway: Plain, { source, reading }: Checking): void {
  const tokens = Array.isArray(gateway['tokens']) ? (gateway['tokens'] as readonly unknown[]) : [];
  const first = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const name = isRecord(token) ? token['name'] : undefined;
    if (typeof name !== 'string') continue;
    const path = ['gateway', 'tokens', index, 'name'];
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, index);
      continue;
    }
    const { line } = source.lines.linePos(reading.at('gateway', 'tokens', earlier, 'name')[0]);
    source.report({
      code: 'duplicate_id',
      at: reading.at(...path),
      path,
      message: `two clients have the name ${quote(name)}; the first is in line ${line}`,
    });
  }
}
