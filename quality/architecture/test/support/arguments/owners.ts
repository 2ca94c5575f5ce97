/** Owns the list of all modules and objects whose functions are called with wrong arguments. */
import { agentOwners } from './agent.ts';
import { coreOwners } from './core.ts';
import { packageOwners } from './packages.ts';
import { recordOwners } from './records.ts';
import type { Owner } from './subject.ts';

export const owners: readonly Owner[] = [...coreOwners, ...agentOwners, ...recordOwners, ...packageOwners];
