// What Node itself throws besides sockets and files: streams, modules, threads, sandboxes, web interfaces.
import { createRequire } from 'node:module';
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import { writeFileSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import vm from 'node:vm';
import zlib from 'node:zlib';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
const require = createRequire(import.meta.url);
const L = (classification, category, ambiguous, more) => ({ label: label(classification, category, ambiguous, more) });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const socketEvent = (target, type) => new Promise((resolve, reject) => { target.addEventListener(type, reject); setTimeout(resolve, 5000); });

export const cases = [
  c('zlib-cut', 'an unexpected end of compressed data', () => promisify(zlib.gunzip)(zlib.gzipSync('x'.repeat(5000)).subarray(0, 30)), L('permanent', 'contract', true, { also: ['invalid_input'], unscored: ['classification'] })),
  c('zlib-too-large', 'more decompressed than maxOutputLength', () => promisify(zlib.gunzip)(zlib.gzipSync('x'.repeat(50_000)), { maxOutputLength: 100 }), L('permanent', 'payload_too_large', true, { also: ['resource', 'invalid_input', 'bug'], unscored: ['category'] })),
  c('stream-premature', 'a pipeline that closes early', async () => { const from = new PassThrough(); setTimeout(() => from.destroy(), 20); await pipeline(from, new PassThrough().resume()); }, L('transient', 'network', true)),
  c('stream-destroyed', 'a write after destroy', async () => { const to = new PassThrough(); to.destroy(); await promisify(to.write.bind(to))('x'); }, L('permanent', 'bug', true, { also: ['network'], unscored: ['classification', 'ambiguous'] })),
  c('stream-after-end', 'a write after end', async () => { const to = new PassThrough(); to.end(); to.write('x'); await once(to, 'never'); }, L('permanent', 'bug', true, { unscored: ['ambiguous'] })),
  c('vm-time', 'a time limit of vm', () => vm.runInNewContext('for(;;);', {}, { timeout: 50 }), L('transient', 'timeout', true)),
  c('vm-syntax', 'a syntax error in vm', () => vm.runInNewContext('a b'), L('permanent', 'invalid_input', true, { also: ['bug'] })),
  c('wasm-compile', 'WebAssembly that is none', () => WebAssembly.compile(Buffer.from('nonsense')), L('permanent', 'invalid_input', true, { also: ['bug', 'contract'], unscored: ['ambiguous'] })),
  c('crypto-key', 'a key that is none', () => require('node:crypto').createPrivateKey('nonsense'), L('permanent', 'invalid_input', true, { also: ['auth', 'unsupported'], unscored: ['ambiguous'] })),
  c('subtle-decrypt', 'crypto.subtle: a wrong key', async () => { const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['decrypt']); await crypto.subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, new Uint8Array(40)); }, L('permanent', 'auth', true, { unscored: ['classification', 'category', 'ambiguous'] })),
  c('import-missing', 'import: no such module', () => import('no-such-package-x'), L('permanent', 'not_found', false, { also: ['bug'], unscored: ['ambiguous'] })),
  c('import-file', 'import: no such file', (w) => import(`${w.tmp}/none.mjs`), L('permanent', 'not_found', false, { also: ['bug'], unscored: ['ambiguous'] })),
  c('import-syntax', 'import: a syntax error', (w) => import(file(w, 'bad.mjs', 'a b')), L('permanent', 'invalid_input', true, { also: ['bug'], unscored: ['ambiguous'] })),
  c('import-export', 'import: no such export', (w) => import(file(w, 'exp.mjs', "import { nope } from 'node:fs';")), L('permanent', 'bug', true, { also: ['not_found', 'invalid_input'], unscored: ['ambiguous'] })),
  c('exports-subpath', 'require: a path that a package does not export', () => require('undici/package/nope'), L('permanent', 'not_found', false, { also: ['bug', 'unsupported'], unscored: ['ambiguous'] })),
  c('worker-missing', 'a worker whose file is missing', (w) => new Promise((_, reject) => { new Worker(`${w.tmp}/none.js`).on('error', reject); }), L('permanent', 'not_found', false, { unscored: ['ambiguous'] })),
  c('clone', 'structuredClone of a function', () => structuredClone(() => 1), L('permanent', 'bug', true, { also: ['invalid_input'] })),
  c('datagram-size', 'a datagram that is too large', () => new Promise((resolve, reject) => { const socket = dgram.createSocket('udp4'); socket.send(Buffer.alloc(70_000), 9, '127.0.0.1', (error) => { socket.close(); if (error) reject(error); else resolve(); }); }), L('permanent', 'payload_too_large', false, { also: ['invalid_input'] })),
  c('websocket-refused', 'the global WebSocket: nobody listens (an ErrorEvent)', (w) => socketEvent(new WebSocket(w.refused.replace('http', 'ws')), 'error'), L('transient', 'network', false, { unscored: ['ambiguous'] })),
  c('websocket-closed', 'the global WebSocket: a CloseEvent with 1006', (w) => socketEvent(new WebSocket(w.refused.replace('http', 'ws')), 'close'), L('transient', 'network', true)),
  c('websocket-401', 'the global WebSocket: HTTP 401 (an ErrorEvent)', (w) => socketEvent(new WebSocket(w.canned({ status: 401 }).replace('http', 'ws')), 'error'), L('transient', 'network', true, { unscored: ['classification', 'category', 'ambiguous'] })),
  c('websocket-url', 'the global WebSocket: not its scheme', () => new WebSocket('ftp://127.0.0.1/'), L('permanent', 'invalid_input', false, { also: ['unsupported'] })),
  c('text-decoder', 'TextDecoder: not UTF-8', () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255, 254])), L('permanent', 'invalid_input', true, { also: ['contract'] })),
  c('text-decoder-label', 'TextDecoder: an unknown encoding', () => new TextDecoder('no-such'), L('permanent', 'unsupported', true, { also: ['invalid_input'], unscored: ['ambiguous'] })),
  c('stream-locked', 'a body that was read already', async () => { const body = new Response('x'); await body.text(); await body.text(); }, L('permanent', 'bug', true)),
  c('headers-name', 'fetch: an invalid header name', (w) => fetch(w.url(), { headers: { 'a b': 'x' } }), L('permanent', 'invalid_input', false, { also: ['bug'] })),
  c('fetch-body-get', 'fetch: a body with GET', (w) => fetch(w.url(), { body: 'x' }), L('permanent', 'invalid_input', false, { also: ['bug'] })),
  c('http-expect', 'http: the response is aborted', (w) => new Promise((_, reject) => { http.get(w.fault('close-mid-body'), (res) => { res.on('error', reject); res.resume(); }); }), L('transient', 'network', true)),
  c('http-method', 'http: an invalid method', (w) => http.request(w.url(), { method: 'A B' }), L('permanent', 'invalid_input', false, { also: ['bug'] })),
  c('argument-type', 'ERR_INVALID_ARG_TYPE', () => Buffer.from(7), L('permanent', 'bug', false, { also: ['invalid_input'], unscored: ['ambiguous'] })),
  c('events-unhandled', 'an unhandled error event that is no Error', () => { new Readable().emit('error', 'went wrong'); }, L('transient', 'unknown', true, { unscored: ['classification', 'category'] })),
  c('writable-throws', 'a sink that fails', () => pipeline(Readable.from(['x']), new Writable({ write(_chunk, _encoding, done) { done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28, syscall: 'write' })); } })), L('permanent', 'resource', true, { unscored: ['classification', 'ambiguous'] })),
  c('bigint-mix', 'a BigInt with a number', () => 1n + JSON.parse('1'), L('permanent', 'bug', true)),
  c('regexp', 'an invalid regular expression', () => new RegExp('(', 'u'), L('permanent', 'invalid_input', true, { also: ['bug'] })),
  c('worker-memory-exit', 'a worker that ends with process.exit', async () => { const worker = new Worker('process.exit(7)', { eval: true }); const [code] = await once(worker, 'exit'); throw new Error(`Worker stopped with exit code ${code}`); }, L('transient', 'unknown', true, { unscored: ['classification', 'category'] })),
];
