/** Two policies in a simulated world: files as people edit them, figures as a test judges them. */
import assert from 'node:assert/strict';
import { formatProblem, loadPolicy } from '@holdfast/manifest';
import { loadWorld } from '@holdfast/manifest/world';
import { compare, holdfast } from '@holdfast/simulate';

const path = (name: string): string => `${import.meta.dirname}/${name}`;

const { world, problems, source } = await loadWorld(path('world.yaml'));
assert(world, problems.map((problem) => formatProblem(problem, { source })).join('\n'));

const contenders = await Promise.all(
  ['patient', 'hasty'].map(async (name) => {
    const { policy } = await loadPolicy(path(`${name}.yaml`));
    assert(policy);
    return holdfast({ name, profile: policy.profile ?? 'spec', policy: policy.defaults, tools: policy.tools });
  }),
);
const [patient, hasty] = compare([world], contenders, ['1', '2', '3']).map(({ summary }) => summary);
assert(patient && hasty);
assert(patient.success > 0.99 && hasty.success < 0.9);
assert.equal(patient.duplicates, 0); // nothing is booked twice
assert((patient.requestsPerCallDuring ?? 0) < (hasty.requestsPerCallDuring ?? 0));
console.log(`patient ${(patient.success * 100).toFixed(1)} %, hasty ${(hasty.success * 100).toFixed(1)} % of the turns`);
