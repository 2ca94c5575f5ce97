import jwt from 'jsonwebtoken';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['jsonwebtoken'];

const denied = { label: label('permanent', 'auth', false, { also: ['invalid_input'] }) };

export const cases = [
  c('expired', 'the token has expired', async () => jwt.verify(jwt.sign({ exp: 1 }, 's'), 's'), denied),
  c('signature', 'another secret', async () => jwt.verify(jwt.sign({}, 's'), 't'), denied),
  c('malformed', 'not a token', async () => jwt.verify('nonsense', 's'), denied),
  c('not-before', 'not valid yet', async () => jwt.verify(jwt.sign({ nbf: 9e9 }, 's'), 's'), denied),
  c('sign-options', 'an option that is not allowed', async () => jwt.sign({}, 's', { expiresIn: 'nonsense' }), { label: label('permanent', 'invalid_input', false, { also: ['bug'] }) }),
];
