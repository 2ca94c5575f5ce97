import { expect, test } from 'vitest';
import { checkNodeVersion } from '../src/index.ts';

test.each(['20.20.2', '22.0.0', '22.17.9'])('Node %s is refused', (version) => {
  expect(() => checkNodeVersion(version)).toThrow(`Node ${version} cannot run a worker: turns would hang. Use Node 22.18 or newer.`);
});

test.each(['22.18.0', '22.23.3', '24.0.0', process.versions.node])('Node %s is accepted', (version) => {
  expect(() => checkNodeVersion(version)).not.toThrow();
});
