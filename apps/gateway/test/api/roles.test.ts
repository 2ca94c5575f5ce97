/** What a client may do with its roles, and how it is refused. */
import { type GatewayRole, parseManifest } from '@holdfast/manifest';
import { expect, test } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import { AccessRules } from '../../src/access/access-rules.ts';
import { type Need, refusalFor } from '../../src/api/may-act.ts';

const caller = (...roles: readonly GatewayRole[]) => ({
  principal: 'alice',
  access: { ...undividedAccess('alice'), owner: 'alice', roles: new Set(roles) },
});
const needs: readonly Need[] = ['call', 'read', 'operate'];

test.each([
  [['call'], ['read', 'operate']],
  [['read'], ['call', 'operate']],
  [['operate'], ['call']],
  [['call', 'operate'], []],
  [[], needs],
] as const)('with the roles %j, %j is refused with 403 and ROLE_NEEDED', (roles, refused) => {
  const refusals = needs.flatMap((need) => {
    const refusal = refusalFor(caller(...roles), need);
    return refusal === undefined ? [] : [[need, refusal.status, refusal.error.code]];
  });
  expect(refusals).toEqual(refused.map((need) => [need, 403, 'ROLE_NEEDED']));
});

test('the only token of a gateway without logins has all roles by default, one of several has call', () => {
  const rolesOf = (gateway: object): readonly string[] => {
    const { manifest, problems } = parseManifest(JSON.stringify({ mcp_servers: {}, gateway }), { file: '/srv/holdfast.yaml' });
    if (manifest === undefined) throw new Error(JSON.stringify(problems));
    return [...new AccessRules(manifest.gateway).ofName('alice').roles];
  };
  const alice = { name: 'alice', env: 'X' };
  expect(rolesOf({ tokens: [alice] })).toEqual(['call', 'read', 'operate']);
  expect(rolesOf({ tokens: [{ ...alice, roles: ['read'] }] })).toEqual(['read']);
  expect(rolesOf({ tokens: [alice, { name: 'bob', env: 'Y' }] })).toEqual(['call']);
  const auth = { issuers: [{ issuer: 'https://id.example.com' }] };
  expect(rolesOf({ tokens: [alice], auth, public_url: 'https://tools.example.com' })).toEqual(['call']);
});
