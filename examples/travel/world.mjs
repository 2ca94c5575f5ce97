/**
 * The outside world of the example: travel services that fail, throttle and hang, always in the same order.
 * Says its address in one line of JSON and ends when its standard input does, so that it never outlives who started it.
 */
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const requests = new Map();

/** How often this path was asked, this time included. */
function visit(path) {
  const count = (requests.get(path) ?? 0) + 1;
  requests.set(path, count);
  return count;
}

const flights = (from, to) => [
  { flight: 'HF 101', from, to, departs: '2026-05-02T07:10', price_eur: 182 },
  { flight: 'HF 107', from, to, departs: '2026-05-02T15:45', price_eur: 149 },
];

/** path → [status, body, headers], or nothing for no answer at all */
const services = {
  // Down for good.
  '/flights': async () => {
    await wait(220);
    return [503, { message: 'flight database is down' }];
  },
  '/backup/flights': async ({ from, to }) => {
    await wait(450);
    return [200, { offers: flights(from, to) }];
  },
  // Throttles the first request and says for how long.
  '/hotels': async ({ city }, count) => {
    await wait(120);
    if (count === 1) return [429, { message: 'slow down' }, { 'retry-after': '2' }];
    return [
      200,
      {
        offers: [
          { hotel: 'Pensão Mar', city, night_eur: 84 },
          { hotel: 'Casa Alta', city, night_eur: 112 },
        ],
      },
    ];
  },
  // Fails twice, then recovers.
  '/weather': async ({ city }, count) => {
    await wait(90);
    if (count <= 2) return [503, { message: 'try again' }];
    return [200, { city, days: ['sunny, 21 °C', 'sunny, 23 °C', 'showers, 18 °C'] }];
  },
  // Takes the request and never answers.
  '/activities': () => undefined,
};

const answerOne = async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world');
  const service = services[pathname];
  const answer = service ? await service(Object.fromEntries(searchParams), visit(pathname)) : [404, { message: `no ${pathname}` }];
  if (!answer) return;
  const [status, body, headers = {}] = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const server = createServer((request, response) => void answerOne(request, response));

const end = () => {
  server.closeAllConnections();
  server.close();
};
process.stdin.on('end', end).on('error', end).resume();
// Ctrl-C reaches every process of the terminal; this one is still needed while the turn is being cancelled.
process.on('SIGINT', () => {});

server.listen(Number(process.env.TRAVEL_PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
