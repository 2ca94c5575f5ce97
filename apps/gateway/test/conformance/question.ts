/** What the suite gives to a client, as it is sent to the host. */
import type { JsonObject } from '../fixtures/client/raw-client.ts';

export interface Question {
  /** Of the scenario's server. */
  readonly url: string;
  readonly scenario: string;
  readonly era: 'modern' | 'legacy';
  readonly toolCalls?: readonly JsonObject[];
}

/** The answer of a host that played the scenario to its end. */
export const ended = 'ended';
