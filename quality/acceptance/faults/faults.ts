/** All faults: at least one for each condition, six samples, a campaign, and those of three sets by hand that the tests did not notice at first. */
import type { Fault } from './fault.ts';
import { byHand } from './faults-by-hand.ts';
import { retryFaults } from './faults-of-retries.ts';
import { loopFaults } from './faults-of-the-loop.ts';
import { serviceFaults } from './faults-of-the-service.ts';
import { tableAndTimeFaults } from './faults-of-tables-and-times.ts';
import { turnFaults } from './faults-of-turns.ts';
import { firstSample } from './faults-sample-1.ts';
import { secondSample } from './faults-sample-2.ts';
import { thirdSample } from './faults-sample-3.ts';
import { callsSample } from './faults-sample-4-calls.ts';
import { decisionsSample } from './faults-sample-4-decisions.ts';
import { exchangesSample } from './faults-sample-4-exchanges.ts';
import { loopSample } from './faults-sample-4-loop.ts';
import { turnsSample } from './faults-sample-4-turns.ts';
import { drawnCalls } from './faults-sample-5-calls.ts';
import { drawnDecisions } from './faults-sample-5-decisions.ts';
import { drawnExchanges } from './faults-sample-5-exchanges.ts';
import { drawnLoop } from './faults-sample-5-loop.ts';
import { drawnLater } from './faults-sample-6.ts';
import { campaign } from './faults-sample-7.ts';

export const faults: readonly Fault[] = [
  ...retryFaults,
  ...turnFaults,
  ...loopFaults,
  ...serviceFaults,
  ...tableAndTimeFaults,
  ...firstSample,
  ...secondSample,
  ...thirdSample,
  ...turnsSample,
  ...callsSample,
  ...decisionsSample,
  ...loopSample,
  ...exchangesSample,
  ...drawnCalls,
  ...drawnDecisions,
  ...drawnLoop,
  ...drawnExchanges,
  ...drawnLater,
  ...campaign,
  ...byHand,
];
