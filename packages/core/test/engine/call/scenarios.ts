import type { Scenario } from '../../support/scenario.ts';
import { answer, down, fail, hang, wait, scenario } from '../../support/scenario.ts';

const object = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

export const scenarios: readonly Scenario[] = [
  scenario('success at once', {
    tools: { search: [{}, answer({ found: 3 })] },
    calls: [{ toolName: 'search', callId: 'mine', arguments: { city: 'Oslo', password: 'hunter2' } }],
    options: { capture: 'all' },
  }),
  scenario('success on the second retry', { tools: { search: [{}, down, fail({ code: 'ECONNRESET' }, 'reset'), answer(1)] } }),
  scenario('success after a Retry-After', {
    tools: { search: [{}, fail({ status: 429, headers: { 'retry-after': '1' } }, 'slow down'), answer(1)] },
  }),
  scenario('a Retry-After that exceeds the time left', {
    tools: { search: [{}, fail({ status: 429, headers: { 'retry-after': '60' } }, 'slow down')] },
  }),
  scenario('all attempts used up', { tools: { search: [{ retry: { maxAttempts: 2 }, breaker: false }, down] } }),
  scenario('retry time used up', { tools: { search: [{ breaker: false }, wait(600, down)] } }),
  scenario('permanent failure', { tools: { search: [{}, fail({ status: 403 }, 'token sk-proj-abcdefghijklmnopqrstuvwxyz0123 may not')] } }),
  scenario('a thrown value that is not an error', {
    tools: {
      search: [
        { retry: { maxAttempts: 1 } },
        () => {
          // oxlint-disable-next-line typescript/only-throw-error
          throw 'a text';
        },
      ],
    },
  }),
  scenario('timeout with a late result', {
    tools: { search: [{ timeoutMs: 1_000, retry: { maxAttempts: 1 } }, wait(5_000, answer('late'))] },
  }),
  scenario('timeout of work that never ends', {
    tools: { search: [{ timeoutMs: 1_000, abandonMs: 2_000, retry: { maxAttempts: 1 } }, hang] },
  }),
  scenario('timeout with an accepted partial output', {
    tools: {
      search: [
        { timeoutMs: 1_000, acceptPartial: true },
        (_system, { reportPartial, reportProgress }) => {
          reportProgress({ progress: 1, total: 3, message: 'a third' });
          reportPartial(['first']);
          return new Promise(() => undefined);
        },
      ],
    },
    options: { capture: 'all' },
  }),
  scenario('alternative', {
    tools: {
      search: [{ alternatives: ['archive', 'backup'] }, fail({ status: 410 }, 'gone')],
      archive: [{}, fail({ status: 410 }, 'gone too')],
      backup: [{}, answer(2)],
    },
  }),
  scenario('alternative fails as well', {
    tools: { search: [{ alternatives: ['backup', 'missing'] }, fail({ status: 410 }, 'gone')], backup: [{}, fail({ status: 400 }, 'bad')] },
  }),
  scenario('default value', { tools: { search: [{ fallback: { value: [] } }, fail({ status: 404 }, 'nothing')] } }),
  scenario('default value after a timeout', {
    tools: { search: [{ timeoutMs: 500, retry: { maxAttempts: 1 }, fallback: { value: 'old' } }, hang] },
    options: { capture: 'all' },
  }),
  scenario('optional', { tools: { search: [{}, fail({ status: 404 }, 'nothing')] }, calls: [{ toolName: 'search', optional: true }] }),
  scenario('invalid arguments', {
    tools: { search: [{ input: object }, answer(1)] },
    calls: [{ toolName: 'search', arguments: { citty: 'Oslo' } }],
  }),
  scenario('an invalid output', { tools: { search: [{ output: object }, answer({ citty: 'Oslo' })] } }),
  scenario('an output that is too large', {
    tools: { search: [{ maxOutputChars: 20 }, answer('x'.repeat(50))] },
    options: { capture: 'all' },
  }),
  scenario('an output that is not JSON', { tools: { search: [{}, answer({ big: 10n, run: () => 1 })] } }),
  scenario('unknown tool', { tools: { search: [{}, answer(1)] }, calls: [{ toolName: 'serch' }, { toolName: 'x'.repeat(200) }] }),
  scenario('disabled tool', { tools: { search: [{ enabled: false }, answer(1)] } }),
  scenario('another call is held by the wait the server asked for', {
    tools: {
      search: [{}, wait(10, fail({ status: 429, headers: { 'retry-after': '1' } }, 'slow down')), answer(1)],
      pace: [{}, wait(200, answer(1))],
    },
    calls: [
      { callId: 'told', toolName: 'search' },
      { callId: 'pace', toolName: 'pace' },
      { callId: 'other', toolName: 'search', dependsOn: ['pace'] },
    ],
  }),
  scenario('another call is refused by the wait the server asked for', {
    tools: { search: [{}, fail({ status: 429, headers: { 'retry-after': '3600' } }, 'slow down')] },
    before: 1,
    later: 2_000,
    options: { profile: 'service' },
  }),
  scenario('the circuit opens', { tools: { search: [{ breaker: { failureThreshold: 2 } }, down] } }),
  scenario('the circuit is open', {
    tools: { search: [{ breaker: { failureThreshold: 2 }, alternatives: ['backup'] }, down], backup: [{}, answer(1)] },
    before: 1,
    options: { recoveryRules: [{ name: 'no other', deny: ['use_alternative'] }] },
  }),
  scenario('the probe fails', {
    tools: { search: [{ breaker: { failureThreshold: 1, openMs: 1_000 }, retry: { maxAttempts: 1 } }, down] },
    before: 1,
    later: 1_000,
  }),
  scenario('the probe succeeds', {
    tools: { search: [{ breaker: { failureThreshold: 1, openMs: 1_000 } }, down, answer(1)] },
    before: 1,
    later: 1_000,
  }),
  scenario('slow calls open the circuit', {
    tools: {
      search: [
        { breaker: { rate: { windowMs: 60_000, minimumCalls: 2, failureRate: 1, slowCallMs: 100, slowCallRate: 1 } } },
        wait(100, answer(1)),
      ],
    },
    before: 1,
  }),
  scenario('quick calls do not', {
    tools: {
      search: [
        { breaker: { rate: { windowMs: 60_000, minimumCalls: 2, failureRate: 1, slowCallMs: 100, slowCallRate: 1 } } },
        wait(99, answer(1)),
      ],
    },
    before: 3,
    later: 1_000,
  }),
  scenario('a quick failure is not a slow call', {
    tools: {
      search: [
        {
          breaker: {
            rate: { windowMs: 60_000, minimumCalls: 1, failureRate: 1, slowCallMs: 100, slowCallRate: 0.1 },
            failureThreshold: 99,
          },
          retry: { maxAttempts: 1 },
        },
        answer(1),
        answer(1),
        wait(10, down),
      ],
    },
    before: 2,
    later: 1_000,
  }),
  scenario('at most three hedges', {
    tools: { search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 3 } }, wait(900, answer('slow'))] },
  }),
  scenario('hedges within the attempts', {
    tools: { search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 3 }, retry: { maxAttempts: 2 } }, wait(900, answer('slow'))] },
  }),
  scenario('hedge after a retry', {
    tools: {
      search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 1 } }, down, wait(900, answer('slow')), wait(50, answer('fast'))],
    },
  }),
  scenario('hedges count as retries of the turn', {
    tools: { search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 3 } }, wait(900, answer('slow'))] },
    turn: { maxRetries: 1 },
  }),
  scenario('deadline with an accepted partial output', {
    tools: {
      search: [
        { acceptPartial: true },
        (_system, { reportPartial }) => {
          reportPartial(['first']);
          return new Promise(() => undefined);
        },
      ],
    },
    turn: { timeoutMs: 500 },
  }),
  scenario('deadline with an unwanted partial output', {
    tools: {
      search: [
        {},
        (_system, { reportPartial }) => {
          reportPartial(['first']);
          return new Promise(() => undefined);
        },
      ],
    },
    turn: { timeoutMs: 500 },
  }),
  scenario('deadline during backoff', {
    tools: { search: [{ retry: { initialDelayMs: 400, maxDelayMs: 400 } }, wait(200, down)] },
    turn: { timeoutMs: 700 },
  }),
  scenario('the tool throws an abort error', {
    tools: { search: [{}, fail({ name: 'AbortError', code: 'ABORT_ERR' }, 'The operation was aborted')] },
  }),
  scenario('alternatives that are not tried', {
    tools: {
      search: [{ alternatives: ['one', 'two'] }, fail({ status: 410 }, 'gone')],
      one: [{}, fail({ status: 410 }, 'gone too')],
      two: [{}, answer(1)],
    },
    options: { recoveryRules: [{ name: 'one at most', when: { tool: ['one'] }, deny: ['use_alternative'] }] },
  }),
  scenario('budget with a retry time', {
    tools: {
      search: [{ retryBudget: { ratio: 0, floor: 1, windowMs: 10_000 }, alternatives: ['backup'] }, down],
      backup: [{}, answer(1)],
    },
    before: 1,
    options: { recoveryRules: [{ name: 'no other', deny: ['use_alternative'] }] },
    later: 500,
  }),
  scenario('two issues in the arguments', {
    tools: { search: [{ input: { ...object, required: ['city', 'day'] } }, answer(1)] },
    calls: [{ toolName: 'search', arguments: {} }],
  }),
  scenario('two issues in the output', { tools: { search: [{ output: { ...object, required: ['city', 'day'] } }, answer({})] } }),
  scenario('bulkhead full without a queue', {
    tools: { search: [{ concurrency: { limit: 1, queue: 0 } }, wait(100, answer(1))] },
    calls: [{ toolName: 'search' }, { toolName: 'search' }],
  }),
  scenario('bulkhead full with a queue', {
    tools: { search: [{ concurrency: { limit: 1, queue: 1 } }, wait(100, answer(1))] },
    calls: [{ toolName: 'search' }, { toolName: 'search' }],
  }),
  scenario('rate limit', {
    tools: { search: [{ rateLimit: { limit: 1, windowMs: 60_000 } }, answer(1)] },
    calls: [{ toolName: 'search' }, { toolName: 'search' }],
  }),
  scenario('rate limit that is waited for', {
    tools: { search: [{ rateLimit: { limit: 1, windowMs: 1_000 } }, answer(1)] },
    calls: [{ toolName: 'search' }, { toolName: 'search' }],
  }),
  scenario('retry budget', { tools: { search: [{ retryBudget: { ratio: 0, floor: 1, windowMs: 10_000 } }, down] } }),
  scenario('retries of the turn', { tools: { search: [{}, down] }, turn: { maxRetries: 1 } }),
  scenario('unsafe and ambiguous', {
    tools: { search: [{ effect: 'unsafe', alternatives: ['backup'] }, fail({ code: 'ECONNRESET' }, 'reset')], backup: [{}, answer(1)] },
  }),
  scenario('unsafe and not ambiguous', {
    tools: { search: [{ effect: 'unsafe' }, fail({ code: 'ECONNREFUSED' }, 'refused'), answer(1)] },
  }),
  scenario('hedge that is faster', {
    tools: { search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 2 } }, wait(900, answer('slow')), wait(50, answer('fast'))] },
  }),
  scenario('hedge that fails', {
    tools: { search: [{ effect: 'read', hedge: { afterMs: 100, maxHedges: 1 } }, wait(900, answer('slow')), wait(50, down)] },
  }),
  scenario('cancelled while it runs', { tools: { search: [{}, wait(2_000, answer('late'))] }, cancelAt: 150 }),
  scenario('cancelled while it waits', {
    tools: { search: [{}, down] },
    cancelAt: 150,
  }),
  scenario('deadline while it runs', { tools: { search: [{}, wait(2_000, answer('late'))] }, turn: { timeoutMs: 500 } }),
  scenario('deadline that aborts running work', {
    tools: { search: [{}, wait(2_000, answer('late'))] },
    turn: { timeoutMs: 500, onDeadline: 'abort' },
  }),
  scenario('deadline between attempts', { tools: { search: [{}, wait(450, down)] }, turn: { timeoutMs: 500 } }),
  scenario('a rule that prefers the default value', {
    tools: { search: [{ fallback: { value: 0 } }, down] },
    options: { recoveryRules: [{ name: 'be quick', prefer: 'use_default', reason: 'nobody waits' }] },
  }),
  scenario('an advisor', {
    tools: { search: [{}, down] },
    options: { advisor: () => ({ action: 'fail', reason: 'I know this one', guards: [] }) },
  }),
  scenario('an advisor that throws', {
    tools: { search: [{ retry: { maxAttempts: 1 } }, down] },
    options: {
      advisor: () => {
        throw new Error('no idea');
      },
    },
  }),
  scenario('an advisor that does not answer', {
    tools: { search: [{ retry: { maxAttempts: 1 } }, down] },
    options: { advisor: () => new Promise(() => undefined) },
  }),
  scenario('dependants of a failure', {
    tools: { search: [{}, fail({ status: 404 }, 'nothing')], book: [{}, answer(1)], mail: [{}, answer(1)] },
    calls: [
      { callId: 'a', toolName: 'search' },
      { callId: 'b', toolName: 'book', dependsOn: ['a'] },
      { callId: 'c', toolName: 'mail', dependsOn: ['b'], optional: true },
    ],
  }),
];
