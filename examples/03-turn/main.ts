/** A turn: calls that need each other's outputs. What fails is replaced, stands on a default, or is skipped. */
import assert from 'node:assert/strict';
import { defineTool, ref, ToolExecutionService } from '@holdfast/core';

const fail = (status: number) => (): never => {
  throw Object.assign(new Error(`HTTP ${status}`), { status });
};
const service = new ToolExecutionService({
  seed: 'example',
  policy: { retry: { initialDelayMs: 1 } },
  tools: [
    defineTool({ name: 'flight_search', run: fail(503), alternatives: ['flight_search_backup'] }),
    defineTool({ name: 'flight_search_backup', run: () => ({ offers: [{ flight: 'HF 101', price: 180 }] }) }),
    defineTool({ name: 'exchange_rate', run: fail(404) }),
    defineTool({ name: 'price', run: (args) => args }),
    defineTool({ name: 'seat_map', run: fail(401) }),
    defineTool({ name: 'seat_advice', run: (args) => args }),
  ],
});

const turn = await service.executeTurn({
  timeoutMs: 10_000,
  calls: [
    { callId: 'flights', toolName: 'flight_search' },
    { callId: 'rate', toolName: 'exchange_rate', optional: true },
    {
      callId: 'total',
      toolName: 'price',
      arguments: { price: ref('flights', 'offers.0.price'), rate: ref('rate') },
      defaults: { rate: 1 },
    },
    { callId: 'seats', toolName: 'seat_map', optional: true },
    { callId: 'advice', toolName: 'seat_advice', arguments: { seats: ref('seats') }, optional: true },
  ],
});

const [flights, , total, , advice] = turn.results;
assert.deepEqual([flights?.status, flights?.servedBy, flights?.fallbackUsed], ['success', 'flight_search_backup', true]);
assert.deepEqual(total?.output, { price: 180, rate: 1 });
assert.deepEqual(advice?.error?.causedBy, ['seats']);
assert.equal(turn.outcome, 'success'); // every required call succeeded
console.log(turn.summary);
