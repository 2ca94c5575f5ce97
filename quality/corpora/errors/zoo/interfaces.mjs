// Further interfaces of Node, gRPC beyond its codes, replies of caches and databases, and small packages.
import * as grpc from '@grpc/grpc-js';
import { fromIni } from '@aws-sdk/credential-provider-ini';
import { fromProcess } from '@aws-sdk/credential-provider-process';
import crossSpawn from 'cross-spawn';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import express from 'express';
import FormData from 'form-data';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import Redis from 'ioredis';
import * as jsYaml from 'js-yaml';
import jsep from 'jsep';
import mysql from 'mysql2/promise';
import net from 'node:net';
import pg from 'pg';
import StreamJson from 'stream-json';
import { Readable, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tls from 'node:tls';
import { execFile, fork } from 'node:child_process';
import { promisify } from 'node:util';
import which from 'which';
import { Worker, MessageChannel } from 'node:worker_threads';
import yargs from 'yargs';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node', '@grpc/grpc-js', '@aws-sdk/credential-provider-ini', '@aws-sdk/credential-provider-process', 'cross-spawn', 'express', 'form-data', 'ioredis', 'js-yaml', 'jsep', 'mysql2', 'pg', 'stream-json', 'which', 'yargs'];
const L = (classification, category, ambiguous, more = {}) => ({ label: label(classification, category, ambiguous, more) });
const P = (category, ambiguous, more) => L('permanent', category, ambiguous, more);
const T = (category, ambiguous, more) => L('transient', category, ambiguous, more);
const free = { unscored: ['ambiguous'] };

/** A unary call of raw bytes to a server that answers in its own way. */
const unary = (target, options = {}) => new Promise((resolve, reject) => {
  const client = new grpc.Client(target, grpc.credentials.createInsecure(), { 'grpc.enable_retries': 0, ...options.channel });
  client.makeUnaryRequest('/shop.Orders/Pay', (x) => Buffer.from(x), (x) => x, 'x', new grpc.Metadata(), { deadline: Date.now() + (options.ms ?? 3000) }, (error, reply) => { client.close(); if (error) reject(error); else resolve(reply); });
});
const h2 = async (w, onStream) => { const server = http2.createServer(); const sessions = new Set(); server.on('session', (s) => { sessions.add(s); s.on('error', () => {}); }); server.on('stream', (stream) => { stream.on('error', () => {}); onStream(stream); }); w.onClose(() => { for (const s of sessions) s.destroy(); server.close(); }); return `127.0.0.1:${await w.listen(server)}`; };
const serve = async (w, handler) => { const server = new grpc.Server(); server.addService({ Pay: { path: '/shop.Orders/Pay', requestStream: false, responseStream: false, requestSerialize: (x) => x, requestDeserialize: (x) => x, responseSerialize: (x) => x, responseDeserialize: (x) => x } }, { Pay: handler }); const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', grpc.ServerCredentials.createInsecure()); w.onClose(() => server.forceShutdown()); return `127.0.0.1:${port}`; };
const fails = (code, details) => (_call, reply) => reply({ code, details });

/** A server of Redis' protocol that gives the same reply to every command but the first ones of a client. */
const resp = async (w, reply) => { const server = w.track(net.createServer((s) => { s.on('error', () => {}); s.on('data', (d) => { for (const command of String(d).split('*').slice(1)) s.write(/INFO|CLIENT|HELLO/i.test(command) ? '+OK\r\n' : reply); }); })); return w.listen(server); };
const redis = (reply) => async (w) => { const client = new Redis({ port: await resp(w, `-${reply}\r\n`), host: '127.0.0.1', retryStrategy: null, enableReadyCheck: false }); client.on('error', () => {}); try { return await client.set('a', 'b'); } finally { client.disconnect(); } };
const raise = (code, message) => async (w) => { const at = await w.postgres(); const client = new pg.Client({ ...at, ssl: false }); client.on('error', () => {}); await client.connect(); try { return await client.query(`do $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`); } finally { client.end().catch(() => {}); } };
const pgc = (id, code, message, wanted) => c(`pg-${id}`, `pg: SQLSTATE ${code}`, raise(code, message), { ...wanted, needs: ['postgres'] });
const signal = (state, number, message) => async (w) => { const at = await w.mariadb(); const client = await mysql.createConnection({ host: at.host, port: at.port, user: at.user, password: at.password }); try { return await client.query(`signal sqlstate '${state}' set mysql_errno = ${number}, message_text = '${message}'`); } finally { client.destroy(); } };
const myc = (id, state, number, message, wanted) => c(`mysql-${id}`, `mysql2: error ${number}`, signal(state, number, message), { ...wanted, needs: ['mariadbd'] });

export const cases = [
  c('grpc-409', 'grpc: ALREADY_EXISTS', async (w) => unary(await serve(w, fails(6, 'order exists'))), P('conflict', false)),
  c('grpc-precondition', 'grpc: FAILED_PRECONDITION', async (w) => unary(await serve(w, fails(9, 'account is closed'))), P('conflict', false, { also: ['invalid_input'] })),
  c('grpc-aborted', 'grpc: ABORTED', async (w) => unary(await serve(w, fails(10, 'transaction was aborted'))), T('conflict', false)),
  c('grpc-unauthenticated', 'grpc: UNAUTHENTICATED', async (w) => unary(await serve(w, fails(16, 'token expired'))), P('auth', false)),
  c('grpc-permission', 'grpc: PERMISSION_DENIED', async (w) => unary(await serve(w, fails(7, 'no'))), P('permission', false)),
  c('grpc-unavailable', 'grpc: UNAVAILABLE by the server', async (w) => unary(await serve(w, fails(14, 'overloaded'))), T('unavailable', true, { also: ['network'], ...free })),
  c('grpc-data-loss', 'grpc: DATA_LOSS', async (w) => unary(await serve(w, fails(15, 'bytes lost'))), L('permanent', 'unavailable', true, { unscored: ['classification', 'category'] })),
  c('grpc-http-503', 'grpc: a proxy answers HTTP 503', async (w) => unary(await h2(w, (s) => { s.respond({ ':status': 503 }); s.end('down'); })), T('unavailable', true, { also: ['network'], ...free })),
  c('grpc-http-401', 'grpc: a proxy answers HTTP 401', async (w) => unary(await h2(w, (s) => { s.respond({ ':status': 401 }); s.end(); })), P('auth', false)),
  c('grpc-http-404', 'grpc: a proxy answers HTTP 404', async (w) => unary(await h2(w, (s) => { s.respond({ ':status': 404 }); s.end(); })), P('unsupported', false, { also: ['not_found'] })),
  c('grpc-html', 'grpc: no status in the trailers', async (w) => unary(await h2(w, (s) => { s.respond({ ':status': 200, 'content-type': 'application/grpc' }); s.end(); })), T('unknown', true, { unscored: ['classification', 'category'] })),
  c('grpc-stream-reset', 'grpc: the stream is reset', async (w) => unary(await h2(w, (s) => s.close(http2.constants.NGHTTP2_INTERNAL_ERROR))), T('network', true, { also: ['unavailable'] })),
  c('grpc-refused-stream', 'grpc: REFUSED_STREAM', async (w) => unary(await h2(w, (s) => s.close(http2.constants.NGHTTP2_REFUSED_STREAM)), { ms: 1000 }), T('unavailable', true, { also: ['network', 'timeout'], ...free })),
  c('grpc-connect-deadline', 'grpc: the deadline is over before a connection exists', async (w) => unary((await w.blackhole()).slice(7, -1), { ms: 400 }), { ...T('timeout', false, { also: ['network'], ...free }), needs: ['netns'] }),
  c('redis-oom', 'ioredis: OOM', redis("OOM command not allowed when used memory > 'maxmemory'."), T('resource', false, { unscored: ['classification'] })),
  c('redis-crossslot', 'ioredis: CROSSSLOT', redis("CROSSSLOT Keys in request don't hash to the same slot"), P('invalid_input', false)),
  c('redis-readonly-script', 'ioredis: an error of a script', redis('ERR Error running script (call to f_1): @user_script:1: nope'), P('invalid_input', false, { unscored: ['classification', 'category', 'ambiguous'] })),
  c('redis-syntax', 'ioredis: ERR syntax error', redis('ERR syntax error'), P('invalid_input', false)),
  c('redis-integer', 'ioredis: not an integer', redis('ERR value is not an integer or out of range'), P('invalid_input', false)),
  c('redis-clients', 'ioredis: too many clients', redis('ERR max number of clients reached'), T('resource', false, { also: ['unavailable', 'rate_limit'] })),
  c('redis-busygroup', 'ioredis: BUSYGROUP', redis('BUSYGROUP Consumer Group name already exists'), P('conflict', false)),
  c('redis-noperm', 'ioredis: NOPERM', redis("NOPERM User default has no permissions to run the 'set' command"), P('permission', false)),
  c('redis-noreplicas', 'ioredis: NOREPLICAS', redis('NOREPLICAS Not enough good replicas to write.'), T('unavailable', false)),
  pgc('deadlock', '40P01', 'deadlock detected', T('conflict', false)),
  pgc('disk', '53100', 'could not extend file: No space left on device', L('permanent', 'resource', false, { unscored: ['classification', 'ambiguous'] })),
  pgc('read-only', '25006', 'cannot execute INSERT in a read-only transaction', P('permission', false, { also: ['unavailable', 'unsupported', 'conflict'], unscored: ['classification'] })),
  pgc('range', '22003', 'integer out of range', P('invalid_input', false)),
  pgc('zero', '22012', 'division by zero', P('invalid_input', false, { also: ['bug'] })),
  pgc('in-use', '55006', 'database is being accessed by other users', T('conflict', false)),
  pgc('feature', '0A000', 'cached plan must not change result type', P('unsupported', false)),
  pgc('exclusion', '23P01', 'conflicting key value violates exclusion constraint', P('conflict', false)),
  pgc('shutdown', '57P03', 'the database system is starting up', T('unavailable', false, free)),
  pgc('crash', '57P02', 'terminating connection because of crash of another server process', T('unavailable', true, { also: ['network'], ...free })),
  pgc('quota', '53400', 'configuration limit exceeded', T('resource', false, { also: ['quota_exhausted', 'unavailable'], unscored: ['classification'] })),
  myc('read-only', 'HY000', 1290, 'The MariaDB server is running with the --read-only option so it cannot execute this statement', L('transient', 'unavailable', false, { also: ['permission', 'unsupported', 'conflict'], unscored: ['classification'] })),
  myc('full', 'HY000', 1114, 'The table is full', L('permanent', 'resource', false, { unscored: ['classification', 'ambiguous'] })),
  myc('connections', '08004', 1040, 'Too many connections', T('unavailable', false, { also: ['resource', 'network'] })),
  myc('user-limit', '42000', 1226, 'User app has exceeded the max_user_connections resource (current value: 1)', T('resource', false, { also: ['rate_limit', 'unavailable', 'quota_exhausted'], unscored: ['classification'] })),
  myc('column', '42S22', 1054, 'Unknown column nope in field list', P('not_found', false, { also: ['invalid_input'] })),
  myc('privilege', '42000', 1142, 'INSERT command denied to user app for table t', P('permission', false)),
  myc('packet', '08S01', 1153, 'Got a packet bigger than max_allowed_packet bytes', P('payload_too_large', false, { unscored: ['ambiguous'] })),
  c('dns-query', 'dns.resolve4: ENOTFOUND', (w) => dns.resolve4(w.names.nxdomain), { ...T('network', false, { unscored: ['classification'] }), needs: ['netns'] }),
  c('dns-timeout', 'dns.resolve4: ETIMEOUT', async (w) => { const resolver = new dns.Resolver({ timeout: 200, tries: 1 }); resolver.setServers([`127.0.0.1:${w.port('silent')}`]); return resolver.resolve4('a.test'); }, T('timeout', false, { also: ['network'] })),
  c('tls-alert', 'tls: no protocol version in common', async (w) => { const socket = tls.connect({ port: await w.tlsPort('tls13-only'), host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false }); await once(socket, 'secureConnect'); }, P('network', false, { unscored: ['category'] })),
  c('http2-goaway', 'http2: the session is closed before the request', async (w) => { const session = http2.connect(`http://${await h2(w, () => {})}`); session.on('error', () => {}); await once(session, 'connect'); session.close(); await once(session.request({ ':method': 'POST' }), 'response'); }, L('permanent', 'bug', false, { also: ['network'], unscored: ['classification', 'category', 'ambiguous'] })),
  c('http2-reset', 'http2: RST_STREAM with ENHANCE_YOUR_CALM', async (w) => { const session = http2.connect(`http://${await h2(w, (s) => s.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM))}`); w.onClose(() => session.destroy()); const stream = session.request({ ':method': 'POST' }); await once(stream, 'response'); }, T('rate_limit', false, { also: ['network', 'unavailable'], ...free })),
  c('http-timeout', 'http: destroyed with an error of its own after a timeout', (w) => new Promise((_, reject) => { const req = http.request(w.fault('silent'), { method: 'POST', timeout: 150 }); req.on('timeout', () => req.destroy(new Error('Request timeout after 150ms'))); req.on('error', reject); req.end('x'); }), T('timeout', true)),
  c('fs-stream', 'createReadStream: no such file', () => pipeline(fs.createReadStream('/none'), new PassThrough()), P('not_found', false)),
  c('fs-write-denied', 'writeFile: /proc', () => fs.promises.writeFile('/proc/version', 'x'), P('permission', false, { also: ['resource', 'unavailable'], unscored: ['category', 'classification', 'ambiguous'] })),
  c('fs-rename', 'rename: onto a folder that is not empty', async (w) => { fs.mkdirSync(`${w.tmp}/rn/a`, { recursive: true }); fs.mkdirSync(`${w.tmp}/rn2`); return fs.promises.rename(`${w.tmp}/rn2`, `${w.tmp}/rn`); }, P('conflict', false)),
  c('fs-copy', 'cp: a folder without recursive', (w) => fs.promises.cp(w.tmp, `${w.tmp}-x`), P('invalid_input', false, { also: ['bug', 'unsupported'] })),
  c('fork-exit', 'a forked child that exits before it answers', () => new Promise((_, reject) => { const child = fork('-e', [], { execArgv: ['-e', 'process.exit(9)'], stdio: 'ignore' }); child.on('exit', (code) => reject(new Error(`Child process exited with code ${code}`))); }), T('unknown', true, { unscored: ['classification', 'category'] })),
  c('permission-model', 'the permission model', () => promisify(execFile)(process.execPath, ['--permission', '-e', 'require("fs").readFileSync("/etc/passwd")']), P('permission', true)),
  c('worker-clone', 'postMessage of a function', () => { const { port1 } = new MessageChannel(); port1.postMessage(() => 1); }, P('bug', true, { also: ['invalid_input'] })),
  c('worker-syntax', 'a worker with a syntax error', () => new Promise((_, reject) => { new Worker('a b', { eval: true }).on('error', reject); }), P('bug', true, { also: ['invalid_input'], ...free })),
  c('cross-spawn', 'cross-spawn: no such program', () => once(crossSpawn('no-such-program-x', []), 'exit'), P('not_found', false)),
  c('which', 'which: not found', () => which('no-such-program-x'), P('not_found', false, free)),
  c('yargs', 'yargs: an unknown argument', () => new Promise((_, reject) => { yargs(['--nope']).strict().exitProcess(false).fail((message, error) => reject(error ?? new Error(message))).parse(); }), P('invalid_input', true, { also: ['unsupported', 'not_found'], ...free })),
  c('js-yaml', 'js-yaml: not YAML', () => jsYaml.load('a: ['), P('invalid_input', true, { also: ['contract'], ...free })),
  c('jsep', 'jsep: an expression with a syntax error', () => jsep('1 +'), P('invalid_input', true, free)),
  c('stream-json', 'stream-json: cut', () => pipeline(Readable.from(['{"a":']), StreamJson.parser(), new PassThrough({ objectMode: true }).resume()), P('contract', true, { also: ['invalid_input'], unscored: ['classification', 'ambiguous'] })),
  c('express-json', 'express: an error of its body parser, from the server', async (w) => { const app = express(); app.use(express.json()); let seen; app.use((error, _req, res, _next) => { seen = error; res.status(400).end(); }); const server = http.createServer(app); w.track(server); await fetch(`http://127.0.0.1:${await w.listen(server)}/`, { method: 'POST', body: '{oops', headers: { 'content-type': 'application/json' } }); throw seen; }, P('invalid_input', false)),
  c('express-large', 'express: the entity is too large', async (w) => { const app = express(); app.use(express.json({ limit: 10 })); let seen; app.use((error, _req, res, _next) => { seen = error; res.status(413).end(); }); const server = http.createServer(app); w.track(server); await fetch(`http://127.0.0.1:${await w.listen(server)}/`, { method: 'POST', body: JSON.stringify({ a: 'x'.repeat(100) }), headers: { 'content-type': 'application/json' } }); throw seen; }, P('payload_too_large', false)),
  c('form-data', 'form-data: a stream that fails', async (w) => { const form = new FormData(); form.append('a', fs.createReadStream('/none')); await pipeline(form, new PassThrough().resume()); }, P('not_found', false)),
  c('aws-ini', 'AWS credentials: no such profile', () => fromIni({ profile: 'nope', filepath: '/none', configFilepath: '/none' })(), P('auth', false, { also: ['not_found', 'invalid_input'] })),
  c('aws-process', 'AWS credentials: the process fails', (w) => { fs.writeFileSync(`${w.tmp}/awsc`, '[profile a]\ncredential_process = /bin/false\n'); return fromProcess({ profile: 'a', configFilepath: `${w.tmp}/awsc`, filepath: '/none' })(); }, P('auth', true, free)),
];
