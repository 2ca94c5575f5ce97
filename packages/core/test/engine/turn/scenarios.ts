import type { Scenario } from '../../support/scenario.ts';
import { answer, down, fail, wait, scenario } from '../../support/scenario.ts';

const found = answer({ flights: [{ id: 'LH 1', price: 7 }], city: 'Oslo' });
const gone = fail({ status: 410 }, 'gone');
const echo = (_system: unknown, _context: unknown, args: unknown): unknown => args;
const three = [
  { callId: 'a', toolName: 'slow' },
  { callId: 'b', toolName: 'slow' },
  { callId: 'c', toolName: 'slow', dependsOn: ['a'] },
];
const slow = { slow: [{}, wait(400, answer('done'))] } as const;

export const scenarios: readonly Scenario[] = [
  scenario('references to outputs', {
    tools: { search: [{}, found], book: [{}, echo] },
    calls: [
      {
        callId: 'book',
        toolName: 'book',
        arguments: { id: { $from: 'find', path: 'flights.0.id' }, all: { $from: 'find' }, plain: [1, { x: null }] },
      },
      { callId: 'find', toolName: 'search' },
    ],
    options: { capture: 'all' },
  }),
  scenario('a reference to a missing part', {
    tools: { search: [{}, found], book: [{}, echo] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'book', toolName: 'book', arguments: { id: { $from: 'find', path: 'trains.0.id' } } },
    ],
  }),
  scenario('a default for a failed dependency', {
    tools: { search: [{}, gone], book: [{}, echo] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'book', toolName: 'book', arguments: { city: { $from: 'find', path: 'city' } }, defaults: { find: { city: 'Bergen' } } },
    ],
    options: { capture: 'all' },
  }),
  scenario('a critical call fails', {
    tools: { search: [{}, gone], other: [{}, answer(1)] },
    calls: [
      { callId: 'find', toolName: 'search', critical: true },
      { callId: 'other', toolName: 'other' },
    ],
  }),
  scenario('a critical call is skipped', {
    tools: { search: [{}, gone], pay: [{}, answer(1)] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'pay', toolName: 'pay', critical: true, dependsOn: ['find'] },
    ],
  }),
  scenario('one after the other', { tools: slow, calls: three, turn: { concurrency: 1 } }),
  scenario('deadline with finished, running and waiting calls', { tools: slow, calls: three, turn: { concurrency: 1, timeoutMs: 500 } }),
  scenario('no deadline', { tools: slow, calls: [{ toolName: 'slow' }], turn: { timeoutMs: null } }),
  scenario('cancelled while it runs', { tools: slow, calls: three, turn: { concurrency: 1 }, cancelAt: 500 }),
  scenario('cancelled before it began', { tools: slow, calls: three, cancelAt: 0 }),
  scenario('the caller has its own time limit', {
    tools: slow,
    calls: three,
    cancelAt: 500,
    reason: Object.assign(new Error('too late'), { name: 'TimeoutError' }),
  }),
  scenario('no calls', { tools: slow, calls: [] }),
  scenario('many calls, all successful', {
    tools: { a: [{}, answer(1)], b: [{}, answer(2)], c: [{}, answer(3)] },
    calls: ['a', 'b', 'c'].map((toolName) => ({ toolName })),
  }),
  scenario('some successful, some late, some failed', {
    tools: {
      a: [{}, answer(1)],
      b: [{ timeoutMs: 50, retry: { maxAttempts: 1 } }, wait(100, answer(2))],
      c: [{ retry: { maxAttempts: 1 } }, down],
    },
    calls: ['a', 'b', 'c'].map((toolName) => ({ toolName })),
  }),
  scenario('an optional call is skipped', {
    tools: { a: [{}, gone], b: [{}, answer(2)], c: [{}, answer(3)] },
    calls: [
      { callId: 'a', toolName: 'a', optional: true },
      { callId: 'b', toolName: 'b', dependsOn: ['a'], optional: true },
      { callId: 'c', toolName: 'c' },
    ],
  }),
  ...Object.entries({
    'with a cycle': [
      { callId: 'a', toolName: 'slow', dependsOn: ['b'] },
      { callId: 'b', toolName: 'slow', dependsOn: ['c'] },
      { callId: 'c', toolName: 'slow', dependsOn: ['b'] },
    ],
    'with a call that depends on itself': [{ callId: 'a', toolName: 'slow', dependsOn: ['a'] }],
    'with an unknown dependency': [
      { callId: 'find', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', dependsOn: ['fimd'] },
    ],
    'with a reference to an unknown call': [
      { callId: 'find', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', arguments: { $from: 'fimd' } },
    ],
    'with a repeated id': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'a', toolName: 'slow' },
    ],
    'with an id that is not a string': [
      { callId: 7, toolName: 'slow' },
      { callId: '', toolName: 'slow' },
    ],
    'with a tool name that is not a string': [{ toolName: 7 }],
    'with invalid settings': [
      { toolName: 'slow', policy: { timeoutMs: 0 } },
      { toolName: 'slow', policy: { breaker: false } },
    ],
    'with a default without a dependency': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', defaults: { a: 1 } },
    ],
    'with an invalid path': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', arguments: { x: { $from: 'a', path: 7 } } },
    ],
  }).map(([name, calls]) => scenario(`a plan ${name}`, { tools: slow, calls: calls as never })),
];
