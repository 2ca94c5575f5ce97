import type { ServerLogin } from '@holdfast/gateway/contract';
import { expect, test } from 'vitest';
import {
  accountText,
  isWebAddress,
  loginProblem,
  loginRequest,
  ownerText,
  sortLogins,
  stateIndicator,
  validityOf,
} from '../../../src/screens/logins/logins.model.ts';

const login = (more: Partial<ServerLogin> = {}): ServerLogin => ({
  server: 'crm',
  state: 'login_required',
  may_log_in: true,
  may_log_out: false,
  ...more,
});
const here = 'http://127.0.0.1:7340/logins';
const place = { here, server: '', link: '' };

test('whose login it is, as whom, and until when', () => {
  expect(ownerText(login())).toBe('the gateway');
  expect(ownerText(login({ principal: 'alice' }))).toBe('alice');
  expect(accountText(login({ account: 'a@example.com', issuer: 'https://id.example' }))).toBe('a@example.com at https://id.example');
  expect(accountText(login({ issuer: 'https://id.example' }))).toBe('https://id.example');
  expect(stateIndicator(login()).label).toBe('login required');
  expect(validityOf(login())).toBeUndefined();
  expect(validityOf(login({ state: 'logged_in', issuer: 'i', is_renewable: true, expires_at: 'x' }))).toEqual({ kind: 'renewed' });
  expect(validityOf(login({ state: 'logged_in', issuer: 'i', is_renewable: false, expires_at: 'x' }))).toEqual({ kind: 'until', at: 'x' });
  expect(validityOf(login({ state: 'logged_in', issuer: 'i' }))).toEqual({ kind: 'unknown' });
  expect(validityOf(login({ state: 'logged_in' }))).toBeUndefined();
});

test('why a login cannot be begun here', () => {
  const list = { logins: [], login_address: here };
  expect(loginProblem(login(), list, place)).toBeUndefined();
  expect(loginProblem(login(), list, { ...place, here: 'http://localhost:7340/logins' })).toContain(`Open ${here}`);
  expect(loginProblem(login(), { logins: [], problem: 'Set gateway.public_url.' }, place)).toBe('Set gateway.public_url.');
  expect(loginProblem(login({ may_log_in: false }), list, place)).toContain('role operate');
  expect(loginProblem(login({ may_log_in: false, principal: 'alice' }), list, place)).toContain('Only alice');
});

test('a link from a client counts for its server and the login of the gateway only', () => {
  const linked = { here, server: 'crm', link: 'abc' };
  const list = { logins: [], login_address: here };
  expect(loginProblem(login({ may_log_in: false }), list, linked)).toBeUndefined();
  expect(loginRequest(login({ may_log_in: false }), linked)).toEqual({ for: 'gateway', link: 'abc' });
  expect(loginProblem(login({ may_log_in: false, server: 'other' }), list, linked)).toBeDefined();
  expect(loginProblem(login({ may_log_in: false, principal: 'alice' }), list, linked)).toBeDefined();
  expect(loginRequest(login(), linked)).toEqual({ for: 'gateway' });
  expect(loginRequest(login({ principal: 'alice' }), linked)).toEqual({ for: 'caller' });
});

test('the server that a call needs comes first, then missing logins', () => {
  const logins = [login({ server: 'a', state: 'logged_in' }), login({ server: 'b' }), login({ server: 'crm', state: 'logged_in' })];
  expect(sortLogins(logins, 'crm').map(({ server }) => server)).toEqual(['crm', 'b', 'a']);
});

test('the page is left for web addresses only', () => {
  expect([isWebAddress('https://id.example/authorize'), isWebAddress('javascript:alert(1)'), isWebAddress('x')]).toEqual([
    true,
    false,
    false,
  ]);
});
