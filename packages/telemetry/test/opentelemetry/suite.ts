/** The spans of calls, with any version of the SDK. */
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { Sdk } from '../support/sdk.ts';
import { describeCalls } from './calls.ts';
import { describeFrameworks } from './frameworks.ts';
import { describeLimits } from './limits.ts';
import { sceneOf } from './scene.ts';
import { describeTurns } from './turns.ts';

export function describeOpenTelemetry(sdk: Sdk): void {
  describe(sdk.name, () => {
    beforeAll(() => sdk.register());
    afterAll(() => sdk.unregister());
    beforeEach(() => sdk.reset());
    const scene = sceneOf(sdk);
    describeCalls(scene);
    describeTurns(scene);
    describeFrameworks(scene);
    describeLimits(scene);
  });
}
