/**
 * Owns the port to a fleet's circuits on Restate: every message is one request to the ingress, bounded in time.
 *
 * 1. A batch is one message per tool; at most `PARALLEL` are in flight.
 * 2. Every failure rejects with the code `ENGINE_UNAVAILABLE`; then the local circuits decide.
 */
import { checkOptions, period, type Fields } from '@holdfast/core/internal/plain';
import { addressRule, headersRule } from '../engine/address-rule.ts';
import { nameRule } from '../turns/turn-service-options.ts';
import type { FleetCircuit, FleetCircuitMessage, ProbeAnswer, SharedCircuits } from '@holdfast/core/fleet';
import { readError, throwIfUnavailable } from '../client/read-answer.ts';
import { boundedRequest } from '../engine/bounded-request.ts';
import { engineUnavailable } from '../engine/engine-unavailable.ts';
import { CIRCUIT_OBJECT } from './circuit-object.ts';

/** How a worker reaches the circuits of its fleet in Restate. */
export interface RestateSharedCircuitsOptions {
  /** Restate's ingress, such as `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /** Sent with every request. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its name, as the workers set it. @default 'holdfast_circuit' */
  readonly objectName?: string;
  /** Time limit of each request. @default 1000 */
  readonly timeoutMs?: number;
}

interface Stepped {
  readonly circuit: FleetCircuit;
  readonly probe?: ProbeAnswer;
}

const PARALLEL = 32;

const sharedFields: Fields = { ingressUrl: addressRule, headers: headersRule, objectName: nameRule, timeoutMs: period };

/**
 * For `shareCircuits`. The workers serve the circuits: `createTurnEndpoint({ …, services: [circuitObject()] })`.
 * @throws TypeError or RangeError for an invalid option.
 */
export function restateSharedCircuits(options: RestateSharedCircuitsOptions): SharedCircuits {
  checkOptions(sharedFields, options, 'restateSharedCircuits', ['ingressUrl']);
  const { ingressUrl, headers = {}, objectName = CIRCUIT_OBJECT, timeoutMs = 1_000 } = options;
  const place = `${ingressUrl.replace(/\/+$/, '')}/${objectName}`;
  const send = async ({ toolName: tool, ...message }: FleetCircuitMessage): Promise<Stepped> => {
    const url = `${place}/${encodeURIComponent(Buffer.from(tool).toString())}/step`;
    const answer = await boundedRequest({ method: 'POST', url, headers, body: JSON.stringify(message), timeoutMs });
    throwIfUnavailable(answer);
    if (answer.status !== 200) throw engineUnavailable('fault', `Restate has no circuits at ${objectName}: ${readError(answer).message}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- written by `circuit-object.ts`
    const { circuit, probe } = JSON.parse(answer.text) as Stepped;
    return { circuit: { ...circuit, toolName: tool }, ...(probe === undefined ? {} : { probe }) };
  };
  return {
    async report(reports) {
      const waiting = [...reports.entries()];
      const circuits: FleetCircuit[] = [];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const [index, report] = next;
          // oxlint-disable-next-line no-await-in-loop -- as many at once as there are workers of this loop
          circuits[index] = (await send({ type: 'report', ...report })).circuit;
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
      return circuits;
    },
    async acquireProbe(request) {
      const { circuit, probe } = await send({ type: 'acquire_probe', ...request });
      return probe ?? { kind: 'closed', circuit };
    },
    probeEnded: async (end) => (await send({ type: 'probe_ended', ...end })).circuit,
    reset: async (request) => (await send({ type: 'reset', ...request })).circuit,
  };
}
