import type { ClientSession } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import { denialOf, permissionOf } from '../../src/data/permission.model.ts';
import { gone, problemOf } from '../../src/data/problem.ts';

const session: ClientSession = { can_act: false, roles: [], needs_token: false, version: '1.0.0' };

test('permission to act, or the reason why there is none', () => {
  const reasonOf = (given: Partial<ClientSession>, hasToken: boolean): string | undefined =>
    permissionOf({ session: { ...session, ...given }, problem: undefined, hasToken }).reason;
  expect(permissionOf({ session: { ...session, can_act: true, principal: 'ops' }, problem: undefined, hasToken: true })).toEqual({
    allowed: true,
  });
  expect(reasonOf({}, false)).toBe('This page has no operator token. Open the URL that the gateway printed at startup.');
  expect(reasonOf({}, true)).toBe('The token of this page is not valid. Open the URL that the gateway printed at startup.');
  expect(reasonOf({ principal: 'ci' }, true)).toBe('You act as ci, without the role operate.');
  expect(permissionOf({ session: undefined, problem: gone, hasToken: true })).toEqual({ allowed: false, reason: gone.detail });
  expect(permissionOf({ session: undefined, problem: undefined, hasToken: true }).reason).toBe('Checking permissions …');
});

test('a wrong token and a missing one are not the same', () => {
  expect(denialOf(problemOf(401, undefined), false)).toMatchObject({ short: 'token required', reason: 'This gateway requires a token.' });
  expect(denialOf(problemOf(401, undefined), true)).toMatchObject({ short: 'token required', reason: 'This token is not valid.' });
});

test('a missing role is not a missing token: the role is named, and where to give it', () => {
  const error = { code: 'ROLE_NEEDED', message: "This requires the role 'read'", hint: 'Give it the role in the manifest.' };
  expect(denialOf(problemOf(403, { error }), true)).toEqual({
    short: 'role missing',
    reason: "This requires the role 'read'.",
    advice: 'Give it the role in the manifest. Another token can be entered here. It is kept in this tab only.',
  });
});
