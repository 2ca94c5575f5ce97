// Clients for tokens, clients behind proxies, and small HTTP clients that others are built on.
import { EventSource } from 'eventsource';
import followRedirects from 'follow-redirects';
import { GoogleAuth, OAuth2Client } from 'google-auth-library';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import simpleGet from 'simple-get';
import { SocksProxyAgent } from 'socks-proxy-agent';
import teeny from 'teeny-request';
import { Agent, fetch as undiciFetch, interceptors, MockAgent, Pool, ProxyAgent, request, RetryAgent } from 'undici';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['openid-client', 'oauth4webapi', 'google-auth-library', 'http-proxy-agent', 'https-proxy-agent', 'socks-proxy-agent', 'follow-redirects', 'simple-get', 'teeny-request', 'eventsource', 'undici'];
const L = (classification, category, ambiguous, more) => ({ label: label(classification, category, ambiguous, more) });

/** A proxy that answers CONNECT with a status, or not at all. */
const proxy = async (w, answer) => { const server = w.track(net.createServer((socket) => { socket.on('error', () => {}); socket.once('data', () => { if (answer) socket.end(answer); else socket.destroy(); }); })); return `http://127.0.0.1:${await w.listen(server)}`; };
/** A SOCKS5 proxy that answers the request with a code. */
const socks = async (w, code, method = 0) => { const server = w.track(net.createServer((socket) => { socket.on('error', () => {}); socket.once('data', () => { socket.write(Buffer.from([5, method])); socket.once('data', () => socket.end(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))); }); })); return `socks5://127.0.0.1:${await w.listen(server)}`; };
const through = (agent, url) => new Promise((resolve, reject) => { const req = (url.startsWith('https') ? https : http).request(url, { method: 'POST', agent }, resolve); req.on('error', reject); req.end('x'); });
const target = 'https://127.0.0.1:29871/pay';

const insecure = { [oauth.allowInsecureRequests]: true };
const server = (url) => ({ issuer: url, token_endpoint: `${url}/token` });
const grant = async (url) => { const as = server(url), client = { client_id: 'c' }; const response = await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretPost('s'), new URLSearchParams(), insecure); return oauth.processClientCredentialsResponse(as, client, response); };
const oauthError = (status, error, description, headers) => ({ status, headers: { 'content-type': 'application/json', ...headers }, body: { error, error_description: description } });
const viaOpenid = async (url) => { const config = new openid.Configuration(server(url), 'c', 's'); openid.allowInsecureRequests(config); return openid.clientCredentialsGrant(config); };
const googleRefresh = async (url) => { const client = new OAuth2Client({ clientId: 'c', clientSecret: 's', endpoints: { oauth2TokenUrl: url } }); client.setCredentials({ refresh_token: 'r' }); return client.getAccessToken(); };
const events = (url) => new Promise((resolve, reject) => { const source = new EventSource(url); source.addEventListener('error', (event) => { source.close(); reject(event); }); setTimeout(resolve, 5000); });
const get = (url, more) => new Promise((resolve, reject) => simpleGet.concat({ url, method: 'POST', body: 'x', ...more }, (error, res) => (error ? reject(error) : resolve(res))));
const tiny = (url, more) => new Promise((resolve, reject) => teeny.teenyRequest({ uri: url, method: 'POST', json: { a: 1 }, ...more }, (error, res) => (error ? reject(error) : resolve(res))));
const follow = (url, more) => new Promise((resolve, reject) => { const req = followRedirects.http.request(url, { method: 'POST', ...more }, (res) => { res.on('error', reject); res.on('end', resolve); res.resume(); }); req.on('error', reject); req.end('x'); });

export const cases = [
  c('oauth-invalid-client', 'oauth4webapi: invalid_client', (w) => grant(w.canned(oauthError(401, 'invalid_client', 'unknown client', { 'www-authenticate': 'Basic' }))), L('permanent', 'auth', false)),
  c('oauth-invalid-scope', 'oauth4webapi: invalid_scope', (w) => grant(w.canned(oauthError(400, 'invalid_scope', 'scope'))), L('permanent', 'invalid_input', false, { also: ['permission', 'auth'] })),
  c('oauth-503', 'oauth4webapi: HTTP 503 that is no OAuth answer', (w) => grant(w.canned({ status: 503, body: 'down' })), L('transient', 'unavailable', false, { unscored: ['ambiguous'] })),
  c('oauth-not-json', 'oauth4webapi: not JSON', (w) => grant(w.canned({ body: '<html>', headers: { 'content-type': 'text/html' } })), L('permanent', 'contract', true)),
  c('oauth-shape', 'oauth4webapi: no token in the answer', (w) => grant(w.canned({ body: { token: 'x' } })), L('permanent', 'contract', true)),
  c('oauth-refused', 'oauth4webapi: nobody listens', (w) => grant(w.refused), L('transient', 'network', false)),
  c('oauth-http', 'oauth4webapi: HTTP where only HTTPS is allowed', async (w) => oauth.clientCredentialsGrantRequest(server(w.url()), { client_id: 'c' }, oauth.None(), new URLSearchParams()), L('permanent', 'invalid_input', false, { also: ['permission', 'unsupported', 'bug'] })),
  c('openid-invalid-grant', 'openid-client: invalid_grant', (w) => viaOpenid(w.canned(oauthError(400, 'invalid_grant', 'Token has been revoked.'))), L('permanent', 'auth', false, { also: ['invalid_input'] })),
  c('openid-slow-down', 'openid-client: temporarily_unavailable', (w) => viaOpenid(w.canned(oauthError(503, 'temporarily_unavailable', 'later'))), L('transient', 'unavailable', false, { unscored: ['ambiguous'] })),
  c('openid-discovery', 'openid-client: discovery finds nothing', (w) => openid.discovery(new URL(w.canned({ status: 404 })), 'c', 's', undefined, { execute: [openid.allowInsecureRequests] }), L('permanent', 'not_found', false, { also: ['contract'] })),
  c('google-invalid-grant', 'google-auth-library: invalid_grant', (w) => googleRefresh(w.canned(oauthError(400, 'invalid_grant', 'Token has been expired or revoked.'))), L('permanent', 'auth', false, { also: ['invalid_input'] })),
  c('google-no-credentials', 'google-auth-library: no default credentials', async () => { const before = { ...process.env }; Object.assign(process.env, { HOME: '/none', METADATA_SERVER_DETECTION: 'none' }); try { return await new GoogleAuth().getClient(); } finally { process.env.HOME = before.HOME; delete process.env.METADATA_SERVER_DETECTION; } }, { ...L('permanent', 'auth', false, { also: ['not_found'] }), serial: true }),
  c('google-key-file', 'google-auth-library: no such key file', () => new GoogleAuth({ keyFile: '/none.json' }).getClient(), L('permanent', 'not_found', false, { also: ['auth'] })),
  c('google-refresh-token', 'google-auth-library: no refresh token', () => new OAuth2Client().getAccessToken(), L('permanent', 'auth', false, { also: ['invalid_input'] })),
  c('proxy-407', 'https-proxy-agent: 407 to CONNECT', async (w) => { const res = await through(new HttpsProxyAgent(await proxy(w, 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')), target); throw Object.assign(new Error(`Request failed with status code ${res.statusCode}`), { response: res, status: res.statusCode }); }, L('permanent', 'auth', false)),
  c('proxy-closed', 'https-proxy-agent: the proxy closes', async (w) => through(new HttpsProxyAgent(await proxy(w)), target), L('transient', 'network', false)),
  c('proxy-refused', 'https-proxy-agent: no proxy', (w) => through(new HttpsProxyAgent(w.refused), target), L('transient', 'network', false)),
  c('proxy-http-refused', 'http-proxy-agent: no proxy', (w) => through(new HttpProxyAgent(w.refused), w.url()), L('transient', 'network', false)),
  c('proxy-undici-407', 'undici ProxyAgent: 407 to CONNECT', async (w) => undiciFetch(target, { method: 'POST', body: 'x', dispatcher: new ProxyAgent(await proxy(w, 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')) }), L('permanent', 'auth', false)),
  c('proxy-undici-503', 'undici ProxyAgent: 503 to CONNECT', async (w) => undiciFetch(target, { method: 'POST', body: 'x', dispatcher: new ProxyAgent(await proxy(w, 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')) }), L('transient', 'unavailable', false, { also: ['network'] })),
  c('proxy-undici-refused', 'undici ProxyAgent: no proxy', (w) => undiciFetch(target, { method: 'POST', body: 'x', dispatcher: new ProxyAgent(w.refused) }), L('transient', 'network', false)),
  c('socks-refused', 'socks-proxy-agent: connection refused behind the proxy', async (w) => through(new SocksProxyAgent(await socks(w, 5)), target), L('transient', 'network', false)),
  c('socks-host', 'socks-proxy-agent: the host is unreachable behind the proxy', async (w) => through(new SocksProxyAgent(await socks(w, 4)), target), L('transient', 'network', false)),
  c('socks-rule', 'socks-proxy-agent: not allowed by the rules', async (w) => through(new SocksProxyAgent(await socks(w, 2)), target), L('permanent', 'permission', false)),
  c('socks-methods', 'socks-proxy-agent: no acceptable method', async (w) => through(new SocksProxyAgent(await socks(w, 5, 255)), target), L('permanent', 'auth', false, { also: ['unsupported'] })),
  c('socks-none', 'socks-proxy-agent: no proxy', (w) => through(new SocksProxyAgent(`socks5://127.0.0.1:${w.refusedPort}`), target), L('transient', 'network', false)),
  c('follow-redirects', 'follow-redirects: too many', (w) => follow(w.url('/redirect-loop'), { maxRedirects: 3 }), L('permanent', 'contract', true, { also: ['unsupported', 'network', 'permission'], unscored: ['ambiguous'] })),
  c('follow-body', 'follow-redirects: a body that is too large', (w) => follow(w.url(), { maxBodyLength: 0 }), L('permanent', 'payload_too_large', false)),
  c('simple-get-timeout', 'simple-get: no answer in time', (w) => get(w.fault('silent'), { timeout: 200 }), L('transient', 'timeout', true)),
  c('simple-get-redirects', 'simple-get: too many redirects', (w) => get(w.url('/redirect-loop'), { maxRedirects: 2, method: 'GET', body: undefined }), L('permanent', 'contract', true, { also: ['unsupported', 'network', 'permission'], unscored: ['ambiguous'] })),
  c('simple-get-reset', 'simple-get: reset after the request', (w) => get(w.fault('reset-request')), L('transient', 'network', true)),
  c('teeny-refused', 'teeny-request: nobody listens', (w) => tiny(w.refused), L('transient', 'network', false)),
  c('teeny-json', 'teeny-request: cut JSON', (w) => tiny(w.canned({ body: '{"a":', headers: { 'content-type': 'application/json' } })), L('permanent', 'contract', true, { unscored: ['classification', 'category', 'ambiguous'] })),
  c('events-401', 'eventsource: HTTP 401 (an ErrorEvent)', (w) => events(w.canned({ status: 401 })), L('permanent', 'auth', false)),
  c('events-type', 'eventsource: not an event stream', (w) => events(w.canned({ body: '{}' })), L('permanent', 'contract', true)),
  c('events-refused', 'eventsource: nobody listens', (w) => events(w.refused), L('transient', 'network', false, { unscored: ['ambiguous'] })),
  c('undici-retry', 'undici RetryAgent: 503 to the end', (w) => request(w.canned({ status: 503 }), { method: 'PUT', body: 'x', dispatcher: new RetryAgent(new Agent(), { maxRetries: 1, minTimeout: 1, throwOnError: true }) }), L('transient', 'unavailable', false, { unscored: ['ambiguous'] })),
  c('undici-error', 'undici: the responseError interceptor, HTTP 409', (w) => request(w.canned({ status: 409, body: { message: 'exists' } }), { method: 'POST', body: '{}', dispatcher: new Agent().compose(interceptors.responseError()) }), L('permanent', 'conflict', false, { unscored: ['classification'] })),
  c('undici-mock', 'undici MockAgent: no such mock', (w) => { const agent = new MockAgent(); agent.disableNetConnect(); return undiciFetch(w.url(), { dispatcher: agent }); }, L('permanent', 'not_found', false, { also: ['bug', 'invalid_input'], unscored: ['category'] })),
  c('undici-pool-destroyed', 'undici: the pool is destroyed while it waits', async (w) => { const pool = new Pool(new URL(w.fault('silent')).origin, { connections: 1 }); const waiting = pool.request({ path: '/', method: 'POST', body: 'x' }); setTimeout(() => pool.destroy(new Error('over')).catch(() => {}), 100); return waiting; }, L('transient', 'network', true, { unscored: ['classification', 'category'] })),
  c('undici-redirects', 'undici fetch: redirect: error', (w) => undiciFetch(w.url('/redirect-loop'), { method: 'POST', body: 'x', redirect: 'error' }), L('permanent', 'permission', true, { also: ['contract', 'unsupported', 'network'], unscored: ['category'] })),
];
