// A 503 of a proxy, a gateway or a load balancer: it had reached the server behind it, or had not. And what shows that a request was not sent.
import axios from 'axios';
import got from 'got';
import http2 from 'node:http2';
import { ofetch } from 'ofetch';
import superagent from 'superagent';
import { Client } from 'undici';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['axios', 'got', 'node', 'ofetch', 'superagent', 'undici'];

const T = (ambiguous, also = ['network', 'timeout']) => ({ label: label('transient', 'unavailable', ambiguous, { also }) });
const envoy = 'upstream connect error or disconnect/reset before headers. ';
const page = (title) => `<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body><h1>Error ${title}</h1></body>\n</html>`;

/** Id, what the proxy says, whether it had sent the request. */
const bodies = [
  ['envoy-termination', `${envoy}reset reason: connection termination`, true],
  ['envoy-remote-reset', `${envoy}reset reason: remote reset`, true],
  ['envoy-protocol-error', `${envoy}reset reason: protocol error`, true],
  ['envoy-retried', `${envoy}retried and the latest reset reason: connection failure`, true],
  ['envoy-failure', `${envoy}reset reason: connection failure, transport failure reason: delayed connect error: 111`, false],
  ['envoy-remote-failure', `${envoy}reset reason: remote connection failure, transport failure reason: delayed connect error: Connection refused`, false],
  ['envoy-overflow', `${envoy}reset reason: overflow`, false],
  ['envoy-no-upstream', 'no healthy upstream', false],
  ['varnish', page('503 Backend fetch failed'), true],
  ['fastly', page('503 first byte timeout'), true],
  ['cloud-run', 'The request failed because either the HTTP response was malformed or connection to the instance had an error.', true],
  ['kubernetes-eof', 'error trying to reach service: EOF', true],
  ['kubernetes-refused', 'error trying to reach service: dial tcp 10.0.0.1:80: connect: connection refused', false],
  ['kong', '{"message":"failure to get a peer from the ring-balancer"}', false],
  ['haproxy', '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>', false],
];
const clients = {
  axios: (url) => axios.post(url, {}),
  got: (url) => got.post(url, { json: {}, retry: { limit: 0 } }),
  ofetch: (url) => ofetch(url, { method: 'POST', body: {}, retry: 0 }),
  superagent: (url) => superagent.post(url).send({}),
};
const answered = ([id, body, wasSent]) => Object.entries(clients).map(([client, call]) =>
  c(`${client}-${id}`, `${client}: ${body.slice(0, 120).replace(/\s+/g, ' ')}`, async (w) => call(await w.canned({ status: 503, headers: { 'content-type': body.startsWith('<') ? 'text/html' : body.startsWith('{') ? 'application/json' : 'text/plain' }, body })), T(wasSent)));

/** A request over HTTP/2 to a server that ends it in its own way. */
const h2 = (onStream, before = () => {}) => async (w) => {
  const server = http2.createServer();
  server.on('sessionError', () => {}).on('stream', (stream) => { stream.on('error', () => {}); onStream(stream); });
  const session = http2.connect(`http://127.0.0.1:${await w.listen(w.track(server))}`);
  session.on('error', () => {});
  try {
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    await before(session);
    return await new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': '/orders' });
      stream.on('error', reject).on('end', resolve).resume();
      stream.end('{}');
    });
  } finally { session.destroy(); }
};
const client = async (w) => new Client((await w.canned({ status: 200 })).replace(/(\/\/[^/]+).*/, '$1'));
const order = { method: 'POST', path: '/orders', body: '{}' };

export const cases = [
  ...bodies.flatMap(answered),
  c('h2-refused-stream', 'node:http2: the server refuses the stream', h2((s) => s.close(http2.constants.NGHTTP2_REFUSED_STREAM)), T(false)),
  c('h2-internal', 'node:http2: the server resets the stream with INTERNAL_ERROR', h2((s) => s.close(http2.constants.NGHTTP2_INTERNAL_ERROR)), T(true)),
  c('h2-destroyed', 'node:http2: the session has been destroyed', h2(() => {}, (session) => session.destroy()), T(false, ['network'])),
  c('h2-closed', 'node:http2: the session was closed', h2(() => {}, (session) => { session.close(); }), T(false, ['network'])),
  c('undici-closing', 'undici: a client that is being closed', async (w) => { const it = await client(w); void it.close(); return it.request(order); }, T(false, ['network', 'bug'])),
  c('undici-closed', 'undici: a client that was closed; one that was destroyed in mid-request says the same', async (w) => { const it = await client(w); await it.close(); return it.request(order); }, T(true, ['network', 'bug'])),
];
