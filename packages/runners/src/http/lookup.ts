/**
 * Owns resolving names to addresses.
 *
 * Invariants
 * 1. The checked addresses are the ones that are used: the name is not resolved again.
 * 2. If one address is not allowed, the name is refused.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { runnerError } from '../runner-error.ts';
import { addressJudge, type AddressRule } from './address-rules.ts';

/** The addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** A name that always means this machine. */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host);

/** For the connector; `undefined` if nothing is checked. Literal addresses in a URL are never looked up. */
export function checkedLookup(rule: AddressRule, resolveHost?: ResolveHost): LookupFunction | undefined {
  if (rule === 'any' && resolveHost === undefined) return undefined;
  const isAllowed = addressJudge(rule);
  return (host, options, callback) => {
    const onAnswer = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[] = []): void => {
      const [first] = addresses;
      if (error !== null || first === undefined) return callback(error ?? notFoundError(host), '', 0);
      const refused = isLocalName(host) ? undefined : addresses.find(({ address }) => !isAllowed(address));
      if (refused !== undefined) return callback(forbiddenError(host, refused.address), '', 0);
      if (options.all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    if (resolveHost === undefined) systemLookup(host, { ...options, all: true }, onAnswer);
    else
      Promise.resolve(host)
        .then(resolveHost)
        .then(
          (addresses) => onAnswer(null, addresses),
          (error: NodeJS.ErrnoException) => onAnswer(error, []),
        );
  };
}

const notFoundError = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: host });

function forbiddenError(host: string, address: string): NodeJS.ErrnoException {
  return runnerError('ADDRESS_FORBIDDEN', `${host} resolves to ${address}, which is not allowed: see 'addresses'`, { host });
}
