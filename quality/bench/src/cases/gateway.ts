/**
 * The gateway compared with other gateways: the same minimal server behind each, the same client in front, all of them running and taking turns.
 * All figures of a gateway in a round are measured together; differences between rounds come from the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateways, startLeanHttp, type Route, type RunningGateway } from '../gateway/gateways.ts';
import type { Report, Table, Target } from '../report/report.ts';
import { median, quantile } from '../timing/statistics.ts';
import { choose, type Case } from './case.ts';

interface Effort {
  readonly rounds: number;
  /** Sequential calls per round. */
  readonly sequential: number;
  /** Concurrent calls per round. */
  readonly concurrent: number;
  readonly warmUp: number;
}

const full: Effort = { rounds: 9, sequential: 400, concurrent: 2_000, warmUp: 3_000 };
const quick: Effort = { rounds: 2, sequential: 100, concurrent: 300, warmUp: 200 };
const atOnce = 16;

interface Entrant {
  readonly name: string;
  readonly route: Route;
  readonly running: RunningGateway;
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
      for (const contender of gateways.filter((one) => one.name === bare || choose(gateways, only).includes(one))) {
        for (const route of contender.routes) {
          const running = await contender.start(route, { folder, leanUrl: lean.url, sources: isQuick });
          entrants.push({ name: contender.name, route, running, rounds: [] });
        }
      }
      await race(entrants, effort);
      return report(entrants, effort);
    } finally {
      for (const { running } of entrants) await running.stop();
      lean.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Every round lets each of them run once; the next round begins with another. */
async function race(entrants: readonly Entrant[], { rounds, sequential, concurrent, warmUp }: Effort): Promise<void> {
  for (const { running } of entrants) await callTogether(running, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const entrant = entrants[(turn + round) % entrants.length];
      if (!entrant) continue;
      const times = await callOneByOne(entrant.running, sequential);
      const callsPerSecond = await callTogether(entrant.running, concurrent);
      entrant.rounds.push({ p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), callsPerSecond });
    }
  }
}

async function callOneByOne({ client }: RunningGateway, calls: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const before = performance.now();
    await client.echo();
    times.push(performance.now() - before);
  }
  return times;
}

/** Calls per second. */
async function callTogether({ client }: RunningGateway, calls: number): Promise<number> {
  let left = calls;
  const before = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; left > 0;) {
        left -= 1;
        await client.echo();
      }
    }),
  );
  return (calls / (performance.now() - before)) * 1_000;
}

const p50 = ({ rounds }: Entrant): number => median(rounds.map(({ p50Ms }) => p50Ms));
const callsPerSecond = ({ rounds }: Entrant): number => median(rounds.map((round) => round.callsPerSecond));

/** Additional time of a call, round by round. */
function addedMs(entrant: Entrant, direct: Entrant): number {
  return median(entrant.rounds.map(({ p50Ms }, round) => p50Ms - (direct.rounds[round]?.p50Ms ?? Number.NaN)));
}

function report(entrants: readonly Entrant[], { rounds, sequential, concurrent }: Effort): Report {
  const tables = routes.flatMap(([route, title]) => {
    const onRoute = entrants.filter((entrant) => entrant.route === route);
    const direct = onRoute.find(({ name }) => name === bare);
    return direct ? [routeTable(title, onRoute, direct)] : [];
  });
  const names = new Set(entrants.map(({ name }) => name));
  const settings: Table = {
    title: 'Configurations',
    columns: ['', 'configuration'],
    rows: gateways.filter(({ name }) => names.has(name)).map(({ name, configuration }) => [name, configuration]),
  };
  return {
    name: 'gateway',
    title: 'Gateway overhead, compared with others',
    what:
      'One tool, `echo`, of a server without any library, called with 16 letters by a client without any library, in the older of the two protocol eras, which all gateways support. ' +
      `Every gateway runs in a separate process; all run at the same time and take turns: ${rounds} rounds of ${sequential} calls one after the other, then ${concurrent} calls, ${atOnce} at a time. ` +
      'Client, gateway and server share the cores of one machine. `p50` and `p99` are computed per round, the tables show the median of the rounds; `added` is the median additional time of a call compared with `direct`, round by round. ' +
      '`direct` uses the server’s transport, so it has no HTTP if the server has none. Memory is the resident memory of the gateway process alone, after the run.',
    tables: [...tables, settings],
    targets: targets(entrants),
    notes: [
      'Holdfast runs as installed, with everything on; the others have no retries, breakers or trace, and run with their defaults.',
      'A gateway that is missing in a table does not support that combination. mcp-hub prefixes the tool with the name of the server and uses the older HTTP transport; mcp-remote and supergateway serve one server, as Holdfast does in this run.',
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
      entrant === direct ? '' : milliseconds(addedMs(entrant, direct)),
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
    const more = addedMs(ours, direct);
    const resident = ours.running.residentMb() ?? Number.NaN;
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

/** Faster at p50, with more calls and less memory than another gateway. */
function compareWith(route: Route, ours: Entrant, peer: Entrant): Target {
  const [theirMb, ourMb] = [peer.running.residentMb() ?? 0, ours.running.residentMb() ?? 0];
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

function memory({ running }: Entrant): string {
  const megabytes = running.residentMb();
  return megabytes === undefined ? '' : `${Math.round(megabytes)} MB`;
}
