/**
 * Plants one fault after another in a copy of the sources, and runs the acceptance tests.
 *
 *     npm run faults                              all faults of the tables, each against the tests of the conditions that it breaks
 *     npm run faults -- S1-2.4 S4                 those of these conditions, or of all whose id begins so
 *     npm run faults -- --drawn 60 --seed 7       60 random faults, each against all tests that reach it
 *     npm run faults -- --again --seed 7          those of them that survived, once more
 *
 * Faults of the tables fail the command if they survive. Drawn ones are for a person to judge: an edit may break no sentence of the documents.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plantDrawn } from './drawn.ts';
import { plantListed } from './listed.ts';

const repository = join(import.meta.dirname, '../../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { drawn: { type: 'string' }, seed: { type: 'string' }, again: { type: 'boolean', default: false } },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

if (values.drawn === undefined && !values.again) process.exit(plantListed(repository, positionals) === 0 ? 0 : 1);
const [seed, count] = [values.seed, values.drawn ?? '1'].map(Number);
if (!Number.isInteger(seed) || !Number.isInteger(count))
  throw new TypeError('How many, from which seed? npm run faults -- --drawn 60 --seed 7');
await plantDrawn(repository, { seed: Number(seed), count: Number(count), again: values.again });
process.exit(0);
