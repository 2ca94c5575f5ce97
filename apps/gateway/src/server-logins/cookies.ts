/**
 * Owns the cookie that ties a login to the browser in which it was begun: one for each login, so that logins to two servers do not meet.
 *
 * Invariant: over https no other site, and no other host of the same domain, can set it.
 */
import { hash } from 'node:crypto';

const maxAgeS = 600;
const prefix = 'holdfast-login-';

/** Cookies of logins, without all others. */
export function loginCookies(header: string | undefined): string | undefined {
  const own = (header ?? '').split(';').filter((part) => /^\s*(?:__Host-)?holdfast-login-/.test(part));
  return own.length === 0 ? undefined : own.join(';');
}

const isSecure = (root: string): boolean => root.startsWith('https:');

const nameOf = (state: string, root: string): string =>
  `${isSecure(root) ? '__Host-' : ''}${prefix}${hash('sha256', state, 'hex').slice(0, 16)}`;

/** The browser sends it on its way back from another site, with `Lax`, and never to scripts. */
const attributes = (root: string): string => `Path=/; HttpOnly; SameSite=Lax${isSecure(root) ? '; Secure' : ''}`;

export const newCookie = (state: string, secret: string, root: string): string =>
  `${nameOf(state, root)}=${secret}; Max-Age=${maxAgeS}; ${attributes(root)}`;

export const expiredCookie = (state: string, root: string): string => `${nameOf(state, root)}=; Max-Age=0; ${attributes(root)}`;

/** The secret of the browser for this login. */
export function cookieOf(header: string | null, state: string, root: string): string | undefined {
  const name = nameOf(state, root);
  const values = (header ?? '').split(';').flatMap((part) => {
    const [key = '', value = ''] = part.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  const [value] = values;
  return values.length === 1 && value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
