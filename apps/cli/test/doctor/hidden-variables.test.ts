import { expect, test } from 'vitest';
import { hiddenVariables } from '../../src/doctor/hidden-variables.ts';

const environment = {
  PATH: '/usr/bin',
  HTTPS_PROXY: 'http://proxy:3128',
  no_proxy: 'localhost',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  npm_config_registry: 'https://registry.example',
  npm_config_cache: '/tmp/npm',
  SECRET: 'x',
};

test('variables that downloads need, and that are set but not passed', () => {
  expect(hiddenVariables({}, environment)).toEqual(['HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry']);
});

test('passed ones are not hidden', () => {
  const entry = { env: { HTTPS_PROXY: { env: 'HTTPS_PROXY' } }, inheritEnv: ['PATH', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry'] };
  expect(hiddenVariables(entry, environment)).toEqual(['no_proxy']);
});
