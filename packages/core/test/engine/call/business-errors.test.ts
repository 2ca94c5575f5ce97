/**
 * What tools throw about their own business, and failures after which an action may have happened, under `adaptive`: nothing that only words say is repeated where
 * that may do harm, and nothing of it closes a tool for others.
 */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { Effect } from '../../../src/engine/recover/decision.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { errorWith } from '../classify/errors.ts';

const business: readonly string[] = [
  'The table for four is no longer available at 19:30',
  'All meeting rooms are busy until noon',
  'This coupon has reached its limit of uses',
  'The customer could not be reached: the line was busy',
  'Your basket timed out and the seats went back on sale',
  'The doctor is unavailable in week 32',
  'Course capacity exceeded: 30 of 30 places taken',
  'Too many passengers for this fare',
  'The vault is locked until Monday',
  'Account temporarily frozen by the compliance team',
  'The warehouse is down to its last unit; reserve by phone',
  'Parcel 503 was returned to the sender',
  'Gate 404 does not serve this flight',
  'Train 502 is cancelled',
  'Room 429: double booking',
  'Bus line (503) is not running on Sundays',
  'Order cancelled by the buyer',
  'Subscription aborted during the trial',
  'Please try again after your birthday',
  'The elevator is in maintenance',
  'A lock was found on the bicycle',
  'Delivery slot taken by another customer',
  'The network of partner hospitals does not include this clinic',
  'No connection flight within two hours',
  'Connection in Frankfurt lost: the first leg is late',
  'The stream crossing is closed to hikers',
  'Your session with the coach was terminated early',
  'The power socket type G is not offered in this hotel',
  'Peer review reset by the editor',
  'The pipeline inspection failed: broken pipe at km 12',
  'The host is not available for check-in after 22:00',
  'No available drivers near you',
  'Not enough workers in the kitchen tonight',
  'The pool is full: 40 swimmers',
  'The queue is full, come back tomorrow',
  'Rate limit for mortgages exceeded 4 %',
  'Speed limit exceeded twice this year',
  'The exchange rate exceeded your limit',
  'Overloaded truck refused at the weigh station',
  'The service elevator is out of order',
  'The server at table 9 is unavailable',
  'Internal mail only: address outside of the company',
  'Time out was called by the home team',
  'The deadline for applications passed yesterday',
  'The execution time of the will is set by the notary',
  'Conflict of interest between the two parties',
  'The memory care ward has no free beds',
  'Our resources are exhausted until the next budget year',
  'Too many attempts: the card stays blocked until the branch opens',
  'Wrong answer to the security question, please retry later',
  'The reservation system of the theatre says: sold out',
  'Being used by another family at the moment',
  'The transaction is in dispute',
  'DNS: did not start (race results)',
  'The gateway time outlived its welcome',
  'Booking closed by the remote office',
  'The flood insurance does not cover basements',
  'Calm winds required for the balloon ride',
  'Throttle cable of the rental scooter is broken',
  'Shutdown of the plant until spring',
];

type Make = () => unknown;

const refusal = (): Error => errorWith({ code: 'ECONNREFUSED', syscall: 'connect' }, 'connect ECONNREFUSED 127.0.0.1:25');

const ambiguous: readonly (readonly [name: string, make: Make])[] = [
  ['a plain error after a charge', () => new Error('Charged 12 EUR but the ledger could not be reached')],
  ['a transfer whose mail failed', () => new Error('Transfer booked; confirmation mail failed: connect ECONNREFUSED 127.0.0.1:25')],
  ['a payment whose hook answered', () => new Error('Payment captured, webhook answered with status 503')],
  ['a shipment whose label timed out', () => new Error('Shipment created, then the label printer timed out while connecting')],
  ['an order whose stock is locked', () => new Error('Order placed although the stock table is locked')],
  ['an invoice whose archive is limited', () => new Error('Invoice sent, archive says: rate limit exceeded')],
  ['a quoted gRPC status', () => new Error('Ledger updated, but audit failed: 14 UNAVAILABLE: No connection established')],
  ['a quoted database code', () => new Error('Row written, replica said SQLSTATE 40001')],
  ['a string', () => 'refund issued, receipt service unavailable'],
  ['a short string', () => 'timeout'],
  ['a number', () => 42],
  ['null', () => null],
  ['undefined', () => undefined],
  ['an object of prose', () => ({ error: 'paid, but the notification queue is full' })],
  ['an object with a message', () => ({ message: 'Seat sold, printer busy' })],
  ['an empty error', () => new Error('')],
  ['a cause that was refused, after an action', () => new Error('Paid, but the receipt was not saved', { cause: refusal() })],
  ['a cause that was rejected, after an action', () => new Error('Paid; mailing failed', { cause: errorWith({ status: 429 }) })],
  [
    'a cause that was invalid, after an action',
    () => new Error('Paid, however the address is wrong', { cause: errorWith({ status: 422 }) }),
  ],
  ['a prose cause', () => new Error('transfer failed', { cause: new Error('could not reach the bank') })],
  ['errors side by side, one of them unknown', () => new AggregateError([refusal(), new Error('hm')], 'some failed')],
  ['errors side by side, one of them reset', () => new AggregateError([refusal(), errorWith({ code: 'ECONNRESET' })])],
  ['an empty group', () => new AggregateError([], 'nothing')],
  ['strings side by side', () => new AggregateError(['paid', 'mail busy'])],
  [
    'a child that was killed',
    () => errorWith({ code: null, signal: 'SIGKILL', killed: false, cmd: '/opt/pay 5' }, 'Command failed: /opt/pay 5\n'),
  ],
  ['a child that crashed', () => errorWith({ exitCode: null, signal: 'SIGSEGV', command: 'pay 5' }, 'Command was killed with SIGSEGV')],
  [
    'a script that failed',
    () =>
      errorWith(
        { code: 1, cmd: 'sh pay.sh', stderr: 'curl: (7) Failed to connect' },
        'Command failed: sh pay.sh\ncurl: (7) Failed to connect',
      ),
  ],
  [
    'a script whose last step was refused',
    () => errorWith({ code: 1, cmd: 'node pay.js', stderr: 'Error: connect ECONNREFUSED 127.0.0.1:1' }, 'Command failed: node pay.js'),
  ],
  ['a script that ends with 75', () => errorWith({ code: 75, cmd: './pay 5', stderr: '' }, 'Command failed: ./pay 5')],
  [
    'a compound command',
    () => errorWith({ code: 7, cmd: 'pay 5 && curl -s http://h/', stderr: '' }, 'Command failed: pay 5 && curl -s http://h/\n'),
  ],
  ['a shell that reports 137', () => errorWith({ code: 137, cmd: 'sh pay.sh', stderr: 'Killed' }, 'Command failed: sh pay.sh\nKilled')],
  [
    'a remote command',
    () => errorWith({ code: 1, cmd: 'ssh host pay 5', stderr: 'Connection refused' }, 'Command failed: ssh host pay 5\nConnection refused'),
  ],
  ['a thread that exited', () => new Error('worker exited with code: 1')],
  ['a pool whose worker went away', () => errorWith({}, 'Workerpool Worker terminated Unexpectedly', 'TerminateError')],
  ['a worker out of memory', () => errorWith({ code: 'ERR_WORKER_OUT_OF_MEMORY' }, 'Worker terminated due to reaching memory limit')],
  ['an MCP result', () => ({ isError: true, content: [{ type: 'text', text: 'Paid, but the calendar is temporarily unavailable' }] })],
  [
    'an MCP result that quotes a status',
    () => ({ isError: true, content: [{ type: 'text', text: 'Booked; hotel answered 503 Service Unavailable' }] }),
  ],
  ['a business code', () => errorWith({ code: 'NO_AVAILABLE_SLOTS' }, 'full')],
  ['a business class', () => errorWith({}, 'PIN blocked', 'TooManyAttemptsError')],
  ['a body of prose', () => errorWith({ body: '{"message":"Paid, mail server busy"}' }, 'payment step 2')],
  ['gRPC, dropped', () => errorWith({ code: 14, details: 'Connection dropped', metadata: {} }, '14 UNAVAILABLE: Connection dropped')],
  [
    'a 503 of a proxy whose server broke off',
    () =>
      errorWith(
        { status: 503, body: 'upstream connect error or disconnect/reset before headers. reset reason: connection termination' },
        'Request failed with status code 503',
      ),
  ],
  [
    'an answer of 500',
    () => errorWith({ status: 500, body: '{"error":"connect ECONNREFUSED 10.0.0.1:5432"}' }, 'Request failed with status code 500'),
  ],
];

interface Run {
  readonly starts: number;
  readonly ambiguous: boolean | undefined;
  readonly advice: string | undefined;
}

/** Calls a tool of its own that always throws, and counts how often it is started. */
async function call(
  effect: Effect | undefined,
  make: Make,
  calls: number,
): Promise<{ readonly runs: readonly Run[]; readonly opened: boolean }> {
  const system = manualSystem();
  let starts = 0;
  const tool = defineTool({
    name: 'act',
    ...(effect && { effect }),
    run: () => {
      starts += 1;
      throw make();
    },
  });
  const service = new ToolExecutionService({ system, seed: 's', profile: 'adaptive', tools: [tool] });
  let opened = false;
  service.subscribe(({ event_type }) => void (opened ||= event_type === 'CircuitBreakerOpened'));
  const runs: Run[] = [];
  for (let count = 0; count < calls; count += 1) {
    starts = 0;
    const { error } = await system.until(service.executeTool({ toolName: 'act' }));
    runs.push({ starts, ambiguous: error?.ambiguous, advice: error?.advice });
  }
  return { runs, opened };
}

const harmful: readonly (Effect | undefined)[] = [undefined, 'unsafe'];

describe.each(harmful)('a tool that is %s', (effect) => {
  it.each(business)('is started once a call, and stays open: %s', async (message) => {
    const { runs, opened } = await call(effect, () => new Error(message), 8);
    expect(runs.map(({ starts }) => starts)).toEqual(Array.from({ length: 8 }, () => 1));
    expect(opened).toBe(false);
    expect(runs[0]?.ambiguous).toBe(true);
    expect(runs[0]?.advice).toContain('act was started once and may have taken effect');
  });

  it.each(ambiguous)('is started once, and the advice says what may have happened: %s', async (_name, make) => {
    const { runs } = await call(effect, make, 1);
    expect(runs).toEqual([
      { starts: 1, ambiguous: true, advice: expect.stringContaining('act was started once and may have taken effect') as string },
    ]);
  });
});

it.each(business)('a tool that only reads is started twice at most, and stays open: %s', async (message) => {
  const { runs, opened } = await call('read', () => new Error(message), 8);
  expect(Math.max(...runs.map(({ starts }) => starts))).toBeLessThanOrEqual(2);
  expect(opened).toBe(false);
});

it('an alternative does not replace an action that may have happened', async () => {
  const system = manualSystem();
  const started: string[] = [];
  const pay = defineTool({
    name: 'pay',
    effect: 'unsafe',
    alternatives: ['pay_backup'],
    run: () => {
      started.push('pay');
      throw new Error('Charged 50 EUR, but the address of the receipt is invalid');
    },
  });
  const backup = defineTool({ name: 'pay_backup', effect: 'unsafe', run: () => started.push('pay_backup') });
  const service = new ToolExecutionService({ system, profile: 'adaptive', tools: [pay, backup] });
  await system.until(service.executeTool({ toolName: 'pay' }));
  expect(started).toEqual(['pay']);
});

it('words of one caller hold no other call', async () => {
  const { runs, opened } = await call('read', () => new Error('Too many requests for this PIN, try again in 300 seconds'), 6);
  expect(opened).toBe(false);
  expect(runs.every(({ starts }) => starts >= 1)).toBe(true);
});

it('what a server says does close the tool', async () => {
  const { opened } = await call(undefined, () => errorWith({ status: 503 }, 'Down'), 20);
  expect(opened).toBe(true);
});
