/** A probe is out, and how long it takes nobody knows: who may wait does, who may not hears when the probe is given up. */
import { expect, test } from 'vitest';
import { admit, createGate, isProbeOut, record, release } from '../../../src/engine/admission/gate.ts';
import { wakeAt } from '../../../src/engine/admission/wake-waiters.ts';
import type { Gate, Permit } from '../../../src/engine/admission/types.ts';
import { adoptOpening } from '../../../src/distributed/fleet/apply-fleet-state.ts';

const LEASE_MS = 60_000;

/** At 1000 its circuit is open, at 4000 its probe goes out. */
function probing(): { readonly gate: Gate; readonly probe: Permit } {
  const gate = createGate({ breaker: { failureThreshold: 1, openMs: 3_000, probeLeaseMs: LEASE_MS } });
  record(gate, permitAt(gate, 1_000), { outcome: 'transient', durationMs: 10 }, 1_000);
  return { gate, probe: permitAt(gate, 4_000) };
}

function permitAt(gate: Gate, now: number): Permit {
  const answer = admit(gate, { retry: false }, now);
  if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
  return answer.permit;
}

test('of this process: a call waits that has less time than the lease, and continues when the probe succeeds', () => {
  const { gate, probe } = probing();
  expect(isProbeOut(gate, 4_100)).toBe(true);
  const answer = admit(gate, { retry: false, bornAt: 4_100, waitUntil: 9_100 }, 4_100);
  expect(answer).toMatchObject({ kind: 'wait', wait: 'recovery', retryAfterMs: LEASE_MS - 100 });
  expect(wakeAt(gate, 4_100)).toBe(9_100);
  const { woken } = record(gate, probe, { outcome: 'success', durationMs: 500 }, 4_600);
  expect(woken).toEqual([answer.kind === 'wait' ? answer.ticket : 0]);
  release(gate, probe, 4_600);
  expect(isProbeOut(gate, 4_600)).toBe(false);
});

test('who does not wait, or no longer, is notified of the whole lease', () => {
  const { gate } = probing();
  const refused = { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: LEASE_MS - 100 } };
  expect(admit(gate, { retry: false }, 4_100)).toMatchObject(refused);
  expect(admit(gate, { retry: false, bornAt: 0, waitUntil: 4_100 }, 4_100)).toMatchObject(refused);
});

test('an open circuit is another matter: who cannot wait for its end does not wait', () => {
  const { gate, probe } = probing();
  record(gate, probe, { outcome: 'transient', durationMs: 10 }, 4_100);
  expect(isProbeOut(gate, 4_100)).toBe(false);
  expect(admit(gate, { retry: false, waitUntil: 7_000 }, 4_100)).toMatchObject({ kind: 'refused', refusal: { source: 'circuit' } });
});

test('of another process: as long as its lease is what keeps this circuit open, and not when a person or a server does', () => {
  const { gate } = probing();
  adoptOpening(gate, LEASE_MS, true, 5_000);
  expect(isProbeOut(gate, 5_000)).toBe(true);
  expect(admit(gate, { retry: false, waitUntil: 9_000 }, 5_000)).toMatchObject({ kind: 'wait' });
  expect(isProbeOut(gate, 5_000 + LEASE_MS)).toBe(false);
  adoptOpening(gate, 7_000, false, 6_000);
  expect(isProbeOut(gate, 6_000)).toBe(false);
  adoptOpening(gate, LEASE_MS, true, 7_000);
  gate.breaker.mode = 'forced_open';
  expect(isProbeOut(gate, 7_000)).toBe(false);
});
