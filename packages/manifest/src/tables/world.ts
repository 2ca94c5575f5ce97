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

const required = { required: true } as const;
const delay: NumberShape = { kind: 'number', minimum: 0, unit: 'milliseconds' };
const portion: NumberShape = { kind: 'number', minimum: 0, maximum: 1 };
const rate: NumberShape = { kind: 'number', above: 0 };
const status: NumberShape = { kind: 'number', integer: true, minimum: 400, maximum: 599 };
const range: Shape = list(delay);
const drawn: Shape = either(delay, range);

const distributionShape: RecordShape = record(
  'distribution',
  field('kind', choice('constant', 'uniform', 'exponential', 'lognormal', 'measured'), 'How durations are spread.', required),
  field('ms', delay, 'For `constant`: every time.'),
  field('min_ms', delay, 'For `uniform`: the shortest.'),
  field('max_ms', delay, 'For `uniform`: the longest.'),
  field('mean_ms', milliseconds, 'For `exponential` and `lognormal`: the mean.'),
  field('p99_ms', milliseconds, 'For `lognormal`: 99 % are shorter. At most 14 times the mean.', { property: 'p99Ms' }),
  field('values_ms', list(delay), 'For `measured`: values that stand for equal shares, ascending.'),
);

const rateLimitShape: RecordShape = record(
  'world_rate_limit',
  field('limit', count(1), 'Requests in a window; further ones are answered 429 with `Retry-After`.', required),
  field('window_ms', milliseconds, 'How long a window is.', required),
);

const serviceShape: RecordShape = record(
  'service',
  field('servers', count(1), 'Requests that one replica works on at a time.', required),
  field('queue', count(0), 'Requests that may wait at one replica; further ones are answered 503.', { default: 1000 }),
  field('latency', distributionShape, 'How long a server works on a request.', required),
  field('replicas', count(1), 'Each request goes to one of them by chance.', { default: 1 }),
  field('host', text, 'Services of one host share its faults.'),
  field('rate_limit', rateLimitShape, 'What it takes in at most.'),
);

const toolShape: RecordShape = record(
  'world_tool',
  field('service', text, 'The name of the service that answers it.', required),
  field('effect', choice('read', 'idempotent', 'unsafe'), 'What the tool does to the world.', { default: 'read' }),
  field('alternatives', list(identifier), 'Tools that do the same, in the order of preference.', { default: [] }),
  field('timeout_ms', milliseconds, 'How long callers wait for one answer.', { default: 5000 }),
  field('latency', distributionShape, "Where it differs from the service's."),
);

const burstShape: RecordShape = record(
  'burst',
  field('every', distributionShape, 'From the begin of one to the begin of the next.', required),
  field('lasts', distributionShape, 'How long one lasts.', required),
  field('rate_per_second', rate, 'The rate within it; the average stays.', required),
);

const arrivalsShape: RecordShape = record(
  'arrivals',
  field(
    'kind',
    choice('open', 'closed'),
    '`open`: turns begin by chance, whatever became of those before. `closed`: an agent begins its next turn when it has thought about the last.',
    required,
  ),
  field('rate_per_second', rate, 'For `open`: turns of the whole group per second, on average.'),
  field('burst', burstShape, 'For `open`: now and then the rate is higher.'),
  field('think', distributionShape, 'For `closed`: how long.'),
);

const callShape: RecordShape = record(
  'world_call',
  field('call_id', identifier, 'Unique in the turn.', {
    default: "the tool's name, with a number where it is called again",
    otherNames: ['id'],
  }),
  field('tool_id', identifier, 'The tool.', { ...required, property: 'toolName', otherNames: ['tool', 'tool_name'] }),
  field('depends_on', list(identifier), 'Calls that must have succeeded before.', { default: [] }),
  field('optional', boolean, 'The turn is complete without it.', { default: false }),
  field('critical', boolean, 'Without it the turn is worth nothing.', { default: false }),
);

const groupShape: RecordShape = record(
  'agents',
  field('count', count(1), 'Agents that do the same.', required),
  field('arrivals', arrivalsShape, 'When their turns begin.', required),
  field('turn', { ...list(callShape), filled: true }, 'What a turn calls.', required),
  field('deadline_ms', milliseconds, 'From the begin of a turn until nobody waits for it any more.', required),
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
      'flapping',
      'permanent',
      'bad_replica',
    ),
    'What goes wrong.',
    required,
  ),
  field('service', text, 'The service that is hit.'),
  field('host', text, 'Instead: all services of a host.'),
  field('from_ms', drawn, 'When it begins: a number, or two between which one is drawn per seed.', required),
  field('for_ms', drawn, 'How long it lasts: a number, or two between which one is drawn per seed.', required),
  field('recover_over_ms', delay, 'Afterwards capacity comes back gradually, from a tenth to the whole.', { default: 0 }),
  field('status', status, 'For `outage`, `random_failures` and `flapping`: how requests are answered.', { default: 503 }),
  field('answer_ms', delay, 'For `outage`, `random_failures` and `flapping`: how fast.', { default: 20 }),
  field(
    'share',
    portion,
    'For `random_failures`, `lost_answers` (the work is done, its answer is lost) and `permanent` (calls that never work): how many.',
  ),
  field('capacity', portion, 'For `brownout`: the share of the servers that works.'),
  field('factor', rate, 'For `slow`: everything takes this many times as long.'),
  field('limit', count(1), 'For `rate_limit`: requests in a window.'),
  field('window_ms', milliseconds, 'For `rate_limit`: how long a window is.'),
  field('down_ms', range, 'For `flapping`: the shortest and the longest time down.'),
  field('up_ms', range, 'For `flapping`: the shortest and the longest time up.'),
  field('replica', count(0), 'For `bad_replica`: which, counted from 0.'),
  field('how', choice('errors', 'black_hole', 'slow'), 'For `bad_replica`: what is wrong with it.'),
);

export const worldFileShape: RecordShape = record(
  'world_file',
  field('name', text, 'Names it in tables.', { default: "the file's name" }),
  field('description', text, 'One line for tables.'),
  field('duration_ms', milliseconds, 'Turns begin until then; those that are open go on to their end.', required),
  field('agents', { ...list(groupShape), filled: true }, 'Who calls.', required),
  field('tools', map(toolShape), 'What they call, by name.', required),
  field('services', map(serviceShape), 'What answers, by name.', required),
  field('faults', list(faultShape), 'What goes wrong.', { default: [] }),
);
