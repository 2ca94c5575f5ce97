/** Owns what is read from the claims of a token: audience, scopes, groups and who the client is. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { GatewayIssuer } from '@holdfast/manifest';

export type Claims = Readonly<Record<string, unknown>>;

const texts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.split(/[\s,]+/).filter((text) => text !== '');
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
};

/** A single audience may contain any character. */
export const audiencesOf = ({ aud }: Claims): readonly string[] => (typeof aud === 'string' ? [aud] : texts(aud));

/** `scope` of RFC 9068, and `scp` of Microsoft Entra and Okta. */
export const missingScopes = ({ scope, scp }: Claims, required: readonly string[]): readonly string[] => {
  const given = new Set([...texts(scope), ...texts(scp)]);
  return required.filter((name) => !given.has(name));
};

/** The value of a claim, such as `groups` or `realm_access.roles`. */
export function groupsOf(claims: Claims, { groupsClaim }: GatewayIssuer): readonly string[] | undefined {
  if (groupsClaim === undefined) return undefined;
  const value = Object.hasOwn(claims, groupsClaim)
    ? claims[groupsClaim]
    : groupsClaim.split('.').reduce<unknown>((within, step) => (isRecord(within) ? within[step] : undefined), claims);
  return texts(value);
}

/** `undefined`: the token does not say who the client is. An e-mail address may change hands, so it is not used. */
export function principalOf(claims: Claims, { issuer }: GatewayIssuer): string | undefined {
  const { sub, client_id: clientId, azp } = claims;
  if (typeof sub === 'string' && sub !== '') return `${issuer}|${sub}`;
  const client = [clientId, azp].find((id): id is string => typeof id === 'string' && id !== '');
  return client === undefined ? undefined : `${issuer}|client:${client}`;
}
