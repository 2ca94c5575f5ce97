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
  checkGroupsOfTokens(gateway, checking);
  checkAuth(gateway, checking);
  checkEndpoints(gateway, checking);
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
  if (typeof host !== 'string' || isLoopback(host) || hasTokens(gateway) || gateway['auth'] !== undefined) return;
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

function checkGroupsOfTokens(gateway: Plain, { source, reading }: Checking): void {
  const groups = isRecord(gateway['groups']) ? Object.keys(gateway['groups']) : [];
  const tokens = Array.isArray(gateway['tokens']) ? (gateway['tokens'] as readonly unknown[]) : [];
  for (const [index, token] of tokens.entries()) {
    const named = isRecord(token) && Array.isArray(token['groups']) ? (token['groups'] as readonly unknown[]) : [];
    for (const [place, name] of named.entries()) {
      if (typeof name !== 'string' || groups.includes(name)) continue;
      const path = ['gateway', 'tokens', index, 'groups', place];
      const allowed = groups.length === 0 ? 'a name of gateway.groups, which is empty' : groups.join(', ');
      source.report({ code: 'bad_reference', at: reading.at(...path), path, message: `there is no group ${quote(name)}`, allowed });
    }
  }
}

function checkAuth(gateway: Plain, { source, reading }: Checking): void {
  const { auth } = gateway;
  if (!isRecord(auth)) return;
  const path = ['gateway', 'auth'];
  if (gateway['public_url'] === undefined)
    source.report({
      code: 'missing_key',
      at: reading.keyAt(...path),
      path,
      message: "'auth' is set without 'public_url': clients need the address that their tokens are for",
      allowed: 'gateway.public_url: https://tools.example.com',
    });
  const issuers = Array.isArray(auth['issuers']) ? (auth['issuers'] as readonly unknown[]) : [];
  const seen = new Set<unknown>();
  for (const [index, entry] of issuers.entries()) {
    const issuer = isRecord(entry) ? entry['issuer'] : undefined;
    const where = [...path, 'issuers', index, 'issuer'];
    if (typeof issuer === 'string' && seen.has(issuer))
      source.report({
        code: 'duplicate_id',
        at: reading.at(...where),
        path: where,
        message: `the issuer ${quote(issuer)} is listed twice`,
      });
    seen.add(issuer);
  }
}

function checkEndpoints(gateway: Plain, { source, reading }: Checking): void {
  for (const name of Object.keys(isRecord(gateway['endpoints']) ? gateway['endpoints'] : {})) {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) continue;
    const path = ['gateway', 'endpoints', name];
    const allowed = "1 to 64 letters, digits, '_' and '-'";
    source.report({
      code: 'bad_identifier',
      at: reading.keyAt(...path),
      path,
      message: `${quote(name)} cannot be part of a path`,
      allowed,
    });
  }
}
