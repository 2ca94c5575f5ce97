/** What the screen of logins says about a login, and why a button is disabled. */
import type { LoginRequest, ServerLogin, ServerLoginList } from '@holdfast/gateway/contract';
import type { Indicator } from '../../ui/status.tsx';

export const keyOf = ({ server, principal }: ServerLogin): string => JSON.stringify([server, principal ?? null]);

export const ownerText = ({ principal }: ServerLogin): string => principal ?? 'the gateway';

export const stateIndicator = ({ state }: ServerLogin): Indicator =>
  state === 'logged_in' ? { label: 'logged in', icon: 'done', tone: 'good' } : { label: 'login required', icon: 'alert', tone: 'warn' };

/** The account, or the authorization server if it has not named one. */
export function accountText({ account, issuer }: ServerLogin): string {
  if (account === undefined) return issuer ?? '';
  return issuer === undefined ? account : `${account} at ${issuer}`;
}

/** `renewed`: the gateway renews it, so that it has no end of its own. */
export type Validity = { readonly kind: 'renewed' | 'unknown' } | { readonly kind: 'until'; readonly at: string };

/** Until when a login is valid; `undefined` without one, and if it is not shown to this client. */
export function validityOf({ state, issuer, is_renewable, expires_at }: ServerLogin): Validity | undefined {
  if (state !== 'logged_in' || issuer === undefined) return undefined;
  if (is_renewable === true) return { kind: 'renewed' };
  return expires_at === undefined ? { kind: 'unknown' } : { kind: 'until', at: expires_at };
}

export interface Place {
  /** Origin and path of this page. */
  readonly here: string;
  /** From the address of the page: the server that a call needs, and the link that the client was given. */
  readonly server: string;
  readonly link: string;
}

/** Why this login cannot be begun here, as a sentence; `undefined` if it can. */
export function loginProblem(login: ServerLogin, { login_address: address, problem }: ServerLoginList, place: Place): string | undefined {
  if (address === undefined) return problem ?? 'This gateway has no logins in a browser.';
  if (address !== place.here) return `Open ${address} to log in: the browser returns to that address.`;
  if (login.may_log_in || linkFor(login, place) !== undefined) return undefined;
  return login.principal === undefined
    ? 'The login of the gateway requires the role operate.'
    : `Only ${login.principal} can log in here. Alternatively, run holdfast login with --principal.`;
}

/** The link of the page, if it is for this login. */
const linkFor = ({ server, principal }: ServerLogin, place: Place): string | undefined =>
  principal === undefined && place.server === server && place.link !== '' ? place.link : undefined;

export function loginRequest(login: ServerLogin, place: Place): LoginRequest {
  const link = login.may_log_in ? undefined : linkFor(login, place);
  return { for: login.principal === undefined ? 'gateway' : 'caller', ...(link === undefined ? {} : { link }) };
}

/** The logins that need one first, each group in the order of the gateway. */
export const sortLogins = (logins: readonly ServerLogin[], server: string): readonly ServerLogin[] => {
  const rank = (login: ServerLogin): number => (login.server === server ? 0 : 2) + (login.state === 'login_required' ? 0 : 1);
  return logins.toSorted((one, other) => rank(one) - rank(other));
};

/** Whether the page may be left for this address. */
export const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
