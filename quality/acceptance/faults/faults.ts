/** All faults: at least one for each condition. */
import type { Fault } from './fault.ts';
import { retryFaults } from './faults-of-retries.ts';
import { loopFaults } from './faults-of-the-loop.ts';
import { serviceFaults } from './faults-of-the-service.ts';
import { lastFaults } from './faults-written-last.ts';
import { laterFaults } from './faults-written-later.ts';
import { turnFaults } from './faults-of-turns.ts';

export const faults: readonly Fault[] = [...retryFaults, ...turnFaults, ...loopFaults, ...serviceFaults, ...laterFaults, ...lastFaults];
