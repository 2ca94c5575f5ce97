/**
 * Owns which hosts may be requested.
 */
import { misuse } from '../options/fields.ts';
import { runnerError } from '../runner-error.ts';

export function checkHost(field: string, value: string): void {
  const bare = value.startsWith('*.') ? value.slice(2) : value;
  if (bare === '' || /[/?#@*\s]/.test(bare) || !URL.canParse(`https://${bare}`))
    throw misuse(field, value, 'give a host such as api.example.com, api.example.com:8443 or *.example.com');
}

/** `host` as in a URL: with a port only if it is not the default. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => {
    const pattern = allowed.toLowerCase();
    return pattern.startsWith('*.') ? url.host.endsWith(pattern.slice(1)) : url.host === new URL(`${url.protocol}//${pattern}`).host;
  });
}

/** Throws `REDIRECT_FORBIDDEN` if a redirect leads to a host or scheme that is not allowed. */
export function checkRedirect(from: URL, to: URL, allowedHosts: readonly string[]): void {
  const reason = forbiddenReason(from, to, allowedHosts);
  if (reason === undefined) return;
  throw runnerError('REDIRECT_FORBIDDEN', `${from.host} redirects to ${to.protocol}//${to.host}: ${reason}`, {
    host: to.host,
  });
}

function forbiddenReason(from: URL, to: URL, allowedHosts: readonly string[]): string | undefined {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'only http and https are followed';
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'a redirect from https to http is not followed';
  if (to.username !== '' || to.password !== '') return 'a URL with user or password is not followed';
  return isAllowedHost(to, allowedHosts) ? undefined : 'the host is not in allowedHosts';
}
