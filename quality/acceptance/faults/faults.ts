/** All faults: at least one for each condition. */
import type { Fault } from './fault.ts';
import { engineFaults } from './faults-of-the-engine.ts';
import { loopFaults } from './faults-of-the-loop.ts';
import { serviceFaults } from './faults-of-the-service.ts';

export const faults: readonly Fault[] = [...engineFaults, ...loopFaults, ...serviceFaults];
