// Encoders, decoders and parsers that tools use on what they get.
import { BSON } from 'bson';
import iconv from 'iconv-lite';
import { match as matchPath, parse as parsePath } from 'path-to-regexp';
import protobuf from 'protobufjs';
import rawBody from 'raw-body';
import sax from 'sax';
import semver from 'semver';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import tar from 'tar-stream';
import xpath from 'xpath';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['bson', 'iconv-lite', 'path-to-regexp', 'protobufjs', 'raw-body', 'sax', 'semver', 'tar-stream', 'xpath'];
const P = (category, more = {}) => ({ label: label('permanent', category, true, { ...more, unscored: ['ambiguous', ...(more.unscored ?? [])] }) });
const stream = (text, headers = {}) => { const body = new PassThrough(); body.end(text); return Object.assign(body, { headers }); };
const message = protobuf.parse('syntax = "proto3"; message A { string a = 1; int32 b = 2; }').root.lookupType('A');

export const cases = [
  c('raw-too-large', 'raw-body: too large', () => rawBody(stream('x'.repeat(100)), { limit: 10 }), P('payload_too_large')),
  c('raw-length', 'raw-body: another length than announced', () => rawBody(stream('x'.repeat(10)), { length: 20 }), P('invalid_input')),
  c('bson-short', 'bson: cut', () => BSON.deserialize(new Uint8Array([5, 0, 0])), P('invalid_input', { also: ['contract'] })),
  c('bson-cycle', 'bson: a cycle', () => { const a = {}; a.a = a; BSON.serialize(a); }, P('bug', { also: ['invalid_input'] })),
  c('iconv-encoding', 'iconv-lite: an unknown encoding', () => iconv.decode(Buffer.from('x'), 'nope'), P('unsupported', { also: ['invalid_input'] })),
  c('protobuf-cut', 'protobufjs: cut', () => message.decode(new Uint8Array([10, 20, 65])), P('invalid_input', { also: ['contract'] })),
  c('protobuf-wire', 'protobufjs: an invalid wire type', () => message.decode(new Uint8Array([15, 1])), P('invalid_input', { also: ['contract'] })),
  c('protobuf-schema', 'protobufjs: a schema with a syntax error', () => protobuf.parse('message A { strin'), P('invalid_input')),
  c('protobuf-type', 'protobufjs: no such type', () => protobuf.parse('syntax = "proto3";').root.lookupType('Nope'), P('not_found', { also: ['invalid_input'] })),
  c('sax-tag', 'sax: an unexpected close tag', () => { const parser = sax.parser(true); parser.write('<a></b>').close(); }, P('invalid_input', { also: ['contract'] })),
  c('semver', 'semver: not a version', () => new semver.SemVer('a.b.c'), P('invalid_input')),
  c('tar-header', 'tar-stream: not an archive', () => { const extract = tar.extract(); const failed = once(extract, 'never'); extract.end(Buffer.alloc(1024, 'x')); return failed; }, P('invalid_input', { also: ['contract'] })),
  c('tar-end', 'tar-stream: cut', () => { const extract = tar.extract(); const pack = tar.pack(); pack.entry({ name: 'a' }, 'x'.repeat(2000)); pack.finalize(); const failed = once(extract, 'never'); extract.on('entry', (_h, s, next) => { s.on('end', next); s.resume(); }); pack.once('data', (part) => extract.end(part.subarray(0, 700))); return failed; }, P('invalid_input', { also: ['contract', 'network'], unscored: ['classification', 'category'] })),
  c('xpath', 'xpath: a syntax error', () => xpath.parse('//a['), P('invalid_input', { also: ['bug'] })),
  c('path', 'path-to-regexp: a pattern with a missing name', () => parsePath('/:'), P('invalid_input', { also: ['bug'] })),
  c('path-decode', 'path-to-regexp: a malformed escape', () => matchPath('/:a')('/%E0%A4%A'), P('invalid_input', { also: ['bug'] })),
];
