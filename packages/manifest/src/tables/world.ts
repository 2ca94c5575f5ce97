/** Owns the table of a world file: agents, tools, services and faults. `kinds` has the fields of each kind. */
import {
  boolean,
  choice,
  count,
  either,
  field,
  identifier,
  list,
  map,
  milliseconds,
  record,
  text,
  type NumberShape,
  type RecordShape,
  type Shape,
} from '../shape/shape.ts';
import { delay } from './strings.ts';

const required = { required: true } as const;
const portion: NumberShape = { kind: 'number', minimum: 0, maximum: 1 };
const rate: NumberShape = { kind: 'number', above: 0 };
const status: NumberShape = { kind: 'number', integer: true, minimum: 400, maximum: 599 };
const range: Shape = list(delay);
const drawn: Shape = either(delay, range);

const distributionShape: RecordShape = record(
  'distribution',
  field('kind', choice('constant', 'uniform', 'exponential', 'lognormal', 'measured'), 'The distribution of durations.', required),
  field('ms', delay, 'For `constant`: the duration.'),
  field('min_ms', delay, 'For `uniform`: the shortest.'),
  field('max_ms', delay, 'For `uniform`: the longest.'),
  field('mean_ms', milliseconds, 'For `exponential` and `lognormal`: the mean.'),
  field('p99_ms', milliseconds, 'For `lognormal`: 99 % are shorter. At most 14 times the mean.', { property: 'p99Ms' }),
  field('values_ms', list(delay), 'For `measured`: equally likely values, ascending.'),
);

const retryAfter: Shape = either({ kind: 'number', minimum: 0 }, choice('none'));

const rateLimitShape: RecordShape = record(
  'world_rate_limit',
  field('limit', count(1), 'Requests in a window; further ones get 429 with `Retry-After`.', required),
  field('window_ms', milliseconds, 'The length of a window.', required),
  field('retry_after_s', retryAfter, 'What `Retry-After` says, whether it is right or not; `none`: nothing.', {
    default: 'the seconds until the next window',
  }),
);

const tokenBucketShape: RecordShape = record(
  'world_token_bucket',
  field('rate_per_second', rate, 'Tokens that are added per second. Each request takes one.', required),
  field('burst', { kind: 'number', minimum: 1 }, 'Tokens that it holds at most, and at the start.', required),
  field('retry_after_s', retryAfter, 'What `Retry-After` says, whether it is right or not; `none`: nothing.', {
    default: 'the seconds until the next token',
  }),
);

const coldCacheShape: RecordShape = record(
  'cold_cache',
  field('factor', rate, 'How many times as long a request takes with an empty cache.', required),
  field('requests', count(1), 'Requests served until it is full.', required),
);

const serviceShape: RecordShape = record(
  'service',
  field('servers', count(1), 'Requests that one replica processes concurrently.', required),
  field('queue', count(0), 'Requests that may wait at one replica; further ones get 503.', { default: 1000 }),
  field('latency', distributionShape, 'The processing time of a request.', required),
  field('replicas', count(1), 'Each request goes to a random one.', { default: 1 }),
  field('host', text, 'The host. Its services share faults of the host.'),
  field('rate_limit', rateLimitShape, 'Its rate limit, in windows.'),
  field('token_bucket', tokenBucketShape, 'Its rate limit, with bursts; further requests get 429 with `Retry-After`.'),
);

const toolShape: RecordShape = record(
  'world_tool',
  field('service', text, 'The name of its service.', required),
  field('effect', choice('read', 'idempotent', 'unsafe'), 'The side effect of the tool.', { default: 'read' }),
  field('alternatives', list(identifier), 'Alternative tools, in the order of preference.', { default: [] }),
  field('timeout_ms', { ...milliseconds, infinite: true }, 'The time limit of a request. `.inf`: none but the deadline of the turn.', {
    default: 5000,
  }),
  field('latency', distributionShape, 'Overrides the latency of the service.'),
);

const burstShape: RecordShape = record(
  'burst',
  field('every', distributionShape, 'From the start of one to the start of the next.', required),
  field('lasts', distributionShape, 'How long one lasts.', required),
  field('rate_per_second', rate, 'The rate within it; the average does not change.', required),
);

const arrivalsShape: RecordShape = record(
  'arrivals',
  field(
    'kind',
    choice('open', 'closed'),
    '`open`: turns begin at random times, independent of earlier ones. `closed`: an agent begins its next turn after thinking about the last.',
    required,
  ),
  field('rate_per_second', rate, 'For `open`: turns of the whole group per second, on average.'),
  field('burst', burstShape, 'For `open`: times of a higher rate.'),
  field('think', distributionShape, 'For `closed`: the time to think.'),
);

const callShape: RecordShape = record(
  'world_call',
  field('call_id', identifier, 'Unique in the turn.', {
    default: "the tool's name, with a number for further calls",
    otherNames: ['id'],
  }),
  field('tool_id', identifier, 'The tool.', { ...required, property: 'toolName', otherNames: ['tool', 'tool_name'] }),
  field('depends_on', list(identifier), 'Calls that must succeed first.', { default: [] }),
  field('optional', boolean, 'The turn is complete without it.', { default: false }),
  field('critical', boolean, 'The turn fails without it.', { default: false }),
);

const groupShape: RecordShape = record(
  'agents',
  field('count', count(1), 'The number of agents.', required),
  field('arrivals', arrivalsShape, 'When their turns begin.', required),
  field('turn', { ...list(callShape), filled: true }, 'What a turn calls.', required),
  field('deadline_ms', milliseconds, 'The deadline of a turn, after which its result is not used.', required),
);

const faultShape: RecordShape = record(
  'fault',
  field(
    'kind',
    choice(
      'outage',
      'black_hole',
      'random_failures',
      'lost_answers',
      'brownout',
      'slow',
      'rate_limit',
      'token_bucket',
      'flapping',
      'permanent',
      'bad_replica',
    ),
    'The faults.',
    required,
  ),
  field('service', text, 'The service with the fault.'),
  field('host', text, 'Instead of a service: all services of a host.'),
  field('from_ms', drawn, 'When it begins: a number, or a range from which one is drawn per seed.', required),
  field('for_ms', drawn, 'How long it lasts: a number, or a range from which one is drawn per seed.', required),
  field('recover_over_ms', delay, 'Afterwards capacity recovers gradually from 10 % to 100 %.', { default: 0 }),
  field('recover_steps', count(1), 'In how many equal steps.', { default: 20 }),
  field('cold_cache', coldCacheShape, 'Afterwards the service is slow until it has served some requests.'),
  field('status', status, 'For `outage`, `random_failures`, `flapping` and `permanent`: the status of responses.', {
    default: '503; for `permanent` 400',
  }),
  field('answer_ms', delay, 'For `outage`, `random_failures`, `flapping` and `permanent`: the latency of responses.', { default: 20 }),
  field(
    'retry_after_s',
    retryAfter,
    'For `outage`, `random_failures`, `flapping`, `rate_limit` and `token_bucket`: what `Retry-After` says, whether it is right or not; `none`: nothing.',
    { default: '`none`; for limits the truth' },
  ),
  field(
    'share',
    portion,
    'For `random_failures`, `lost_answers` (the work is done, but the answer is lost), `slow` (1 unless given) and `permanent` (calls that never succeed): the share of requests.',
  ),
  field('capacity', portion, 'For `brownout`: the share of the servers that works.'),
  field('factor', rate, 'For `slow`: the factor on durations.'),
  field('period_ms', milliseconds, 'For `slow`: only in the second half of each such period.'),
  field('grows', boolean, 'For `slow`: the factor grows evenly, from 1.', { default: false }),
  field('group', count(0), 'For `permanent`: only calls of this group of agents, counted from 0.'),
  field('limit', count(1), 'For `rate_limit`: requests in a window.'),
  field('window_ms', milliseconds, 'For `rate_limit`: how long a window is.'),
  field('rate_per_second', rate, 'For `token_bucket`: tokens that are added per second.'),
  field('burst', { kind: 'number', minimum: 1 }, 'For `token_bucket`: tokens that it holds at most.'),
  field('down_ms', range, 'For `flapping`: the shortest and the longest time down.'),
  field('up_ms', range, 'For `flapping`: the shortest and the longest time up.'),
  field('replica', count(0), 'For `bad_replica`: which, counted from 0.'),
  field('how', choice('errors', 'black_hole', 'slow', 'gone'), 'For `bad_replica`: its fault. `gone`: requests go to the others.'),
);

export const worldFileShape: RecordShape = record(
  'world_file',
  field('name', text, 'The name in tables.', { default: "the file's name" }),
  field('description', text, 'One line for tables.'),
  field('duration_ms', milliseconds, 'Turns begin until then; open turns run to their end.', required),
  field('processes', count(1), 'Processes that the agents are spread over, each with its own circuits, limits and budgets.', {
    default: 1,
  }),
  field('agents', { ...list(groupShape), filled: true }, 'The agents.', required),
  field('tools', map(toolShape), 'The tools, by name.', required),
  field('services', map(serviceShape), 'The services, by name.', required),
  field('faults', list(faultShape), 'The faults.', { default: [] }),
);
