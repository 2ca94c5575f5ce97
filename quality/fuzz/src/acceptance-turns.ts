/** Owns the location of the acceptance tests' turns. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnTemplate } from './index.ts';
import { readTemplates } from './index.ts';

const folder = join(import.meta.dirname, '../../acceptance/turns');

export function acceptanceTurns(): readonly TurnTemplate[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => readTemplates(readFileSync(join(folder, name), 'utf8')));
}
