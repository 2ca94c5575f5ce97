/** The test tools. Each fails in a different, deterministic way. */
import { setTimeout as wait } from 'node:timers/promises';

const failure = (message, fields) => Object.assign(new Error(message), fields);

let turns = 0;
const next = () => (turns += 1);

export async function searchDocs() {
  await wait(3 + (next() % 7) * 4);
  return { documents: ['guide', 'reference'] };
}

export async function weather(_args, { attempt }) {
  await wait(5);
  if (attempt <= 1 + (next() % 2)) throw failure(`503 Service Unavailable (attempt ${attempt})`, { status: 503 });
  return { sky: 'clear', degrees: 21 };
}

export async function flightSearch() {
  await wait(8);
  throw failure(`connect ECONNREFUSED 10.0.0.${next() % 9}:8443`, { code: 'ECONNREFUSED' });
}

export async function hotelSearch() {
  await wait(6);
  throw failure(`502 Bad Gateway from upstream hotels-${next() % 4}`, { status: 502 });
}

export async function hotelCache() {
  await wait(2);
  return { hotels: ['Lisboa', 'Tejo'] };
}

export async function geocode({ place }) {
  await wait(2);
  if (place !== 'Lisbon') throw failure(`No place is named "${place}"`, { status: 404 });
  return { latitude: 38.7, longitude: -9.1 };
}

export function bookFlight(_args, { signal }) {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

export async function translate() {
  await wait(2);
  throw failure('429 Too Many Requests', { status: 429 });
}

export async function report({ ms = 700 } = {}) {
  await wait(ms);
  return { pages: 12 };
}

export async function itinerary() {
  await wait(4);
  return { days: 3 };
}

export async function injection() {
  throw failure('<img src=x onerror="document.title=\'taken over\'"><script>document.title="taken over"</script> \u202Egnihton', {
    status: 400,
  });
}

export async function batchStep(_args, { attempt, callId }) {
  if (attempt <= 3) throw failure('503 Service Unavailable', { status: 503 });
  return callId;
}
