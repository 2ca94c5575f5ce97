/** Owns the checks of `auth` of an MCP server: what belongs to which type, and that credentials travel encrypted. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import type { Checking } from './checking.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Fields of one type only. */
const owners: Readonly<Record<string, string>> = {
  client_metadata_url: 'oauth',
  redirect_url: 'oauth',
  dpop: 'oauth',
  assertion: 'client_credentials',
  subject_token: 'token_exchange',
  subject_token_type: 'token_exchange',
  audience: 'token_exchange',
  identity_provider: 'token_exchange',
};

export function checkServerAuth(server: Plain, path: readonly PathStep[], checking: Checking): void {
  const { auth: given, url, headers } = server;
  if (given === undefined) return;
  const auth: Plain = isRecord(given) ? given : { type: given };
  const place = [...path, 'auth'];
  checkSafe(url, [...path, 'url'], 'a server with a login', checking);
  checkHeaders(headers, path, checking);
  checkFields(auth, place, checking);
  checkIdentity(auth, place, checking);
  if (auth['type'] === 'token_exchange' && auth['subject_token'] === undefined && (server['isolation'] ?? 'shared') === 'shared')
    report(
      [...place],
      checking,
      'the exchanged token of one client must not serve another: its clients need connections of their own',
      'isolation: per_principal, or a subject_token',
    );
  for (const key of ['issuer', 'redirect_url']) checkSafe(auth[key], [...place, key], quote(key), checking);
  if (isRecord(auth['identity_provider']))
    checkSafe(auth['identity_provider']['issuer'], [...place, 'identity_provider', 'issuer'], "'issuer'", checking);
  const document = auth['client_metadata_url'];
  if (typeof document === 'string' && !/^https:\/\/[^/]+\/./.test(document))
    report(
      [...place, 'client_metadata_url'],
      checking,
      "'client_metadata_url' is the id of the client, an https URL with a path",
      'such as https://example.com/holdfast.json',
    );
}

const loopback = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/i;

/** https, or http on this machine. */
function checkSafe(value: unknown, path: readonly PathStep[], what: string, checking: Checking): void {
  if (typeof value !== 'string' || !/^http:/i.test(value) || loopback.test(value)) return;
  report(path, checking, `${what} needs https: anyone on the way could read its tokens`, 'https, or http on this machine');
}

function checkHeaders(headers: unknown, path: readonly PathStep[], checking: Checking): void {
  for (const name of Object.keys(isRecord(headers) ? headers : {}))
    if (name.toLowerCase() === 'authorization')
      report([...path, 'headers', name], checking, `${quote(name)} is set by 'auth'`, 'one of them');
}

function checkFields(auth: Plain, place: readonly PathStep[], checking: Checking): void {
  for (const [key, owner] of Object.entries(owners)) {
    if (auth[key] === undefined || auth['type'] === owner || typeof auth['type'] !== 'string') continue;
    report([...place, key], checking, `${quote(key)} belongs to the type ${quote(owner)}`, `type: ${owner}`);
  }
  if (auth['client_secret'] !== undefined && auth['private_key'] !== undefined)
    report(
      [...place, 'private_key'],
      checking,
      "'client_secret' and 'private_key' are two ways to prove who the gateway is",
      'one of them',
    );
}

function checkIdentity(auth: Plain, place: readonly PathStep[], { source, reading }: Checking): void {
  const { type, client_id: id } = auth;
  if (type === 'oauth' && id === undefined && (auth['client_secret'] ?? auth['private_key']) !== undefined) need('client_id');
  if (type === 'client_credentials' || type === 'token_exchange') {
    if (id === undefined) need('client_id');
    const proofs = ['client_secret', 'private_key', 'assertion'];
    if (type === 'client_credentials' && proofs.every((key) => auth[key] === undefined)) need(proofs.join(', '));
  }
  function need(key: string): void {
    source.report({
      code: 'missing_key',
      at: reading.keyAt(...place),
      path: place,
      message: `${quote(String(type))} needs the credentials of a client`,
      allowed: key,
    });
  }
}

function report(path: readonly PathStep[], { source, reading }: Checking, message: string, allowed: string): void {
  source.report({ code: 'not_allowed', at: reading.at(...path), path, message, allowed });
}
