/**
 * The gateway beside others of its kind: the same lean server behind each, the same client in front, all of them up at once and taking turns.
 * A stand's figures of a round are taken in one go; what differs from round to round is the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stands, startLeanHttp, type Route, type Standing } from '../gateway/stands.ts';
import type { Report, Table, Target } from '../report/report.ts';
import { median, quantile } from '../timing/statistics.ts';
import { choose, type Case } from './case.ts';

interface Effort {
  readonly rounds: number;
  /** Calls of a round, one after the other. */
  readonly lone: number;
  /** Calls of a round, many at once. */
  readonly crowd: number;
  readonly warmUp: number;
}

const full: Effort = { rounds: 9, lone: 400, crowd: 2_000, warmUp: 3_000 };
const quick: Effort = { rounds: 2, lone: 100, crowd: 300, warmUp: 200 };
const atOnce = 16;

interface Entrant {
  readonly name: string;
  readonly route: Route;
  readonly standing: Standing;
  readonly rounds: Round[];
}

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly callsPerSecond: number;
}

const routes: readonly (readonly [Route, string])[] = [
  ['stdio → stdio', 'A server over stdio, a client over stdio'],
  ['stdio → HTTP', 'A server over stdio, a client over HTTP'],
  ['HTTP → stdio', 'A server over HTTP, a client over stdio'],
  ['HTTP → HTTP', 'A server over HTTP, a client over HTTP'],
];

const own = 'Holdfast';
const bare = 'direct';

export const gateway: Case = {
  name: 'gateway',
  page: 'GATEWAY.md',
  async run({ quick: isQuick, only }) {
    const effort = isQuick ? quick : full;
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const lean = await startLeanHttp(folder);
    const entrants: Entrant[] = [];
    try {
      for (const stand of stands.filter((one) => one.name === bare || choose(stands, only).includes(one))) {
        for (const route of stand.routes) {
          const standing = await stand.start(route, { folder, leanUrl: lean.url, sources: isQuick });
          entrants.push({ name: stand.name, route, standing, rounds: [] });
        }
      }
      await race(entrants, effort);
      return report(entrants, effort);
    } finally {
      for (const { standing } of entrants) await standing.stop();
      lean.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Every round lets each of them run once; the next round begins with another. */
async function race(entrants: readonly Entrant[], { rounds, lone, crowd, warmUp }: Effort): Promise<void> {
  for (const { standing } of entrants) await callTogether(standing, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const entrant = entrants[(turn + round) % entrants.length];
      if (!entrant) continue;
      const times = await callOneByOne(entrant.standing, lone);
      const callsPerSecond = await callTogether(entrant.standing, crowd);
      entrant.rounds.push({ p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), callsPerSecond });
    }
  }
}

async function callOneByOne({ speaker }: Standing, calls: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const before = performance.now();
    await speaker.echo();
    times.push(performance.now() - before);
  }
  return times;
}

/** Calls per second. */
async function callTogether({ speaker }: Standing, calls: number): Promise<number> {
  let left = calls;
  const before = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; left > 0;) {
        left -= 1;
        await speaker.echo();
      }
    }),
  );
  return (calls / (performance.now() - before)) * 1_000;
}

const p50 = ({ rounds }: Entrant): number => median(rounds.map(({ p50Ms }) => p50Ms));
const callsPerSecond = ({ rounds }: Entrant): number => median(rounds.map((round) => round.callsPerSecond));

/** What is added to a call, round by round. */
function added(entrant: Entrant, direct: Entrant): number {
  return median(entrant.rounds.map(({ p50Ms }, round) => p50Ms - (direct.rounds[round]?.p50Ms ?? Number.NaN)));
}

function report(entrants: readonly Entrant[], { rounds, lone, crowd }: Effort): Report {
  const tables = routes.flatMap(([route, title]) => {
    const onRoute = entrants.filter((entrant) => entrant.route === route);
    const direct = onRoute.find(({ name }) => name === bare);
    return direct ? [routeTable(title, onRoute, direct)] : [];
  });
  const names = new Set(entrants.map(({ name }) => name));
  const settings: Table = {
    title: 'Who stands between',
    columns: ['', 'configuration'],
    rows: stands.filter(({ name }) => names.has(name)).map(({ name, configuration }) => [name, configuration]),
  };
  return {
    name: 'gateway',
    title: 'What a gateway costs, beside others',
    what:
      'One tool, `echo`, of a server without any library, called with 16 letters by a client without any library, in the older of the two protocol eras, which all of them speak. ' +
      `Every gateway is a process of its own, all are up at once and take turns: ${rounds} rounds of ${lone} calls one after the other, then ${crowd} calls, ${atOnce} at a time. ` +
      'Client, gateway and server share the cores of one machine. `p50` and `p99` are those of a round, the tables show the median of the rounds; `added` is the median of what a call takes longer than with nothing between, round by round. ' +
      '`direct` speaks as the server does, so it has no HTTP where the server has none. Memory is what is resident after the run, of the process that stands between alone.',
    tables: [...tables, settings],
    targets: targets(entrants),
    notes: [
      'Holdfast runs as it is installed, with everything on; the others have neither retries nor breakers nor a trace to keep, and nothing was switched on for them.',
      'Where another one is not in a table it does not offer that way. mcp-hub puts the name of the server in front of the tool and speaks the older transport of HTTP; mcp-remote and supergateway stand in front of one server, as the Holdfast of this run does.',
    ],
    figures: Object.fromEntries(entrants.map(({ name, route, rounds: seen }) => [`${name}, ${route}`, seen])),
  };
}

function routeTable(title: string, onRoute: readonly Entrant[], direct: Entrant): Table {
  return {
    title,
    columns: ['', 'p50', 'p99', 'added', `calls/s, ${atOnce} at a time`, 'memory'],
    rows: onRoute.map((entrant) => [
      entrant.name,
      milliseconds(p50(entrant)),
      milliseconds(median(entrant.rounds.map(({ p99Ms }) => p99Ms))),
      entrant === direct ? '' : milliseconds(added(entrant, direct)),
      formatWhole(callsPerSecond(entrant)),
      memory(entrant),
    ]),
  };
}

function targets(entrants: readonly Entrant[]): readonly Target[] {
  const find = (name: string, route: Route): Entrant | undefined => entrants.find((one) => one.name === name && one.route === route);
  return routes.flatMap(([route]) => {
    const [ours, direct] = [find(own, route), find(bare, route)];
    if (!ours || !direct) return [];
    const limitMs = route.endsWith('stdio') ? 0.3 : 0.5;
    const more = added(ours, direct);
    const resident = ours.standing.residentMb() ?? Number.NaN;
    return [
      { wanted: `${route}: ≤ ${limitMs} ms added at p50`, seen: milliseconds(more), met: more <= limitMs },
      { wanted: `${route}: ≤ 90 MB resident`, seen: memory(ours), met: resident <= 90 },
      ...(route === 'stdio → HTTP'
        ? [
            {
              wanted: `${route}: ≥ 3,000 calls/s, ${atOnce} at a time`,
              seen: formatWhole(callsPerSecond(ours)),
              met: callsPerSecond(ours) >= 3_000,
            },
          ]
        : []),
      ...entrants.filter((one) => one.route === route && one !== ours && one !== direct).map((peer) => compareWith(route, ours, peer)),
    ];
  });
}

/** Faster at p50, more calls and less memory than another one. */
function compareWith(route: Route, ours: Entrant, peer: Entrant): Target {
  const [theirMb, ourMb] = [peer.standing.residentMb() ?? 0, ours.standing.residentMb() ?? 0];
  const faster = p50(peer) / p50(ours);
  const more = callsPerSecond(ours) / callsPerSecond(peer);
  return {
    wanted: `${route}: better than ${peer.name} at p50, in calls/s and in memory`,
    seen: `${faster.toFixed(1)} × as fast, ${more.toFixed(1)} × the calls, ${(ourMb / theirMb).toFixed(2)} × the memory`,
    met: faster > 1 && more > 1 && ourMb < theirMb,
  };
}

const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
const formatWhole = (value: number): string => Math.round(value).toLocaleString('en');

function memory({ standing }: Entrant): string {
  const megabytes = standing.residentMb();
  return megabytes === undefined ? '' : `${Math.round(megabytes)} MB`;
}
