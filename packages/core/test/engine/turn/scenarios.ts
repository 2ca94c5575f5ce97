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
  scenario('outputs handed on', {
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
  scenario('an output that has no such part', {
    tools: { search: [{}, found], book: [{}, echo] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'book', toolName: 'book', arguments: { id: { $from: 'find', path: 'trains.0.id' } } },
    ],
  }),
  scenario('a default for what was lost', {
    tools: { search: [{}, gone], book: [{}, echo] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'book', toolName: 'book', arguments: { city: { $from: 'find', path: 'city' } }, defaults: { find: { city: 'Bergen' } } },
    ],
    options: { capture: 'all' },
  }),
  scenario('a critical call is lost', {
    tools: { search: [{}, gone], other: [{}, answer(1)] },
    calls: [
      { callId: 'find', toolName: 'search', critical: true },
      { callId: 'other', toolName: 'other' },
    ],
  }),
  scenario('a critical call is not run', {
    tools: { search: [{}, gone], pay: [{}, answer(1)] },
    calls: [
      { callId: 'find', toolName: 'search' },
      { callId: 'pay', toolName: 'pay', critical: true, dependsOn: ['find'] },
    ],
  }),
  scenario('one after the other', { tools: slow, calls: three, turn: { concurrency: 1 } }),
  scenario('deadline with some done, some running, some waiting', { tools: slow, calls: three, turn: { concurrency: 1, timeoutMs: 500 } }),
  scenario('no deadline', { tools: slow, calls: [{ toolName: 'slow' }], turn: { timeoutMs: null } }),
  scenario('cancelled half way', { tools: slow, calls: three, turn: { concurrency: 1 }, cancelAt: 500 }),
  scenario('cancelled before it began', { tools: slow, calls: three, cancelAt: 0 }),
  scenario('the caller has its own time limit', {
    tools: slow,
    calls: three,
    cancelAt: 500,
    reason: Object.assign(new Error('too late'), { name: 'TimeoutError' }),
  }),
  scenario('no calls', { tools: slow, calls: [] }),
  scenario('many calls, all well', {
    tools: { a: [{}, answer(1)], b: [{}, answer(2)], c: [{}, answer(3)] },
    calls: ['a', 'b', 'c'].map((toolName) => ({ toolName })),
  }),
  scenario('some well, some late, some failed', {
    tools: {
      a: [{}, answer(1)],
      b: [{ timeoutMs: 50, retry: { maxAttempts: 1 } }, wait(100, answer(2))],
      c: [{ retry: { maxAttempts: 1 } }, down],
    },
    calls: ['a', 'b', 'c'].map((toolName) => ({ toolName })),
  }),
  scenario('an optional one is skipped', {
    tools: { a: [{}, gone], b: [{}, answer(2)], c: [{}, answer(3)] },
    calls: [
      { callId: 'a', toolName: 'a', optional: true },
      { callId: 'b', toolName: 'b', dependsOn: ['a'], optional: true },
      { callId: 'c', toolName: 'c' },
    ],
  }),
  ...Object.entries({
    'in a circle': [
      { callId: 'a', toolName: 'slow', dependsOn: ['b'] },
      { callId: 'b', toolName: 'slow', dependsOn: ['c'] },
      { callId: 'c', toolName: 'slow', dependsOn: ['b'] },
    ],
    'on itself': [{ callId: 'a', toolName: 'slow', dependsOn: ['a'] }],
    'on nobody': [
      { callId: 'find', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', dependsOn: ['fimd'] },
    ],
    'on an output of nobody': [
      { callId: 'find', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', arguments: { $from: 'fimd' } },
    ],
    'with one name twice': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'a', toolName: 'slow' },
    ],
    'with an id that is no text': [
      { callId: 7, toolName: 'slow' },
      { callId: '', toolName: 'slow' },
    ],
    'with a tool that is no text': [{ toolName: 7 }],
    'with settings that cannot be': [
      { toolName: 'slow', policy: { timeoutMs: 0 } },
      { toolName: 'slow', policy: { breaker: false } },
    ],
    'with a default for nothing': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', defaults: { a: 1 } },
    ],
    'with a path that is none': [
      { callId: 'a', toolName: 'slow' },
      { callId: 'b', toolName: 'slow', arguments: { x: { $from: 'a', path: 7 } } },
    ],
  }).map(([name, calls]) => scenario(`a plan ${name}`, { tools: slow, calls: calls as never })),
];
