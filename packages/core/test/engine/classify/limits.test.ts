/** How much of an error is read: JSON in its texts, words and pages, getters of its classes, and the limits of each. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith } from './errors.ts';

const of = (error: unknown) => classify(error, { nowEpochMs: 0 });

describe('text that contains JSON', () => {
  const json = '{"code":"ECONNREFUSED"}';
  it.each([
    { message: json },
    { body: json },
    { body: ` \n${json}` },
    { body: `[${json}]` },
    { message: `[${json}]` },
    { response: { data: json } },
    { error: json },
    { details: json },
  ])('%j', (error) => expect(of(error).rule).toBe('code:ECONNREFUSED'));
  it.each([
    { body: '{"code":"ECONNREFUSED"' },
    { body: '"ECONNREFUSED"' },
    { title: '{"code":"enoent"}' },
    { body: '{"code":7}' },
    { body: '' },
    { message: '' },
  ])('not %j', (error) => expect(of(error).rule).toBe('unknown'));
  it('counts up to 16 KiB', () => {
    const sized = (length: number) => `{"code":"enoent_not_found"${' '.repeat(length - 27)}}`;
    expect(of({ body: sized(16_384) }).rule).toBe('code:enoent_not_found');
    expect(of({ body: sized(16_385) }).rule).toBe('unknown');
  });
});

describe('HTML pages are not messages', () => {
  it.each(['<html><h1>connection refused</h1></html>', '\n <p>connection refused</p>'])('%s', (body) =>
    expect(of({ body }).rule).toBe('unknown'),
  );
  it('neither are single words', () => {
    expect(of({ body: 'forbidden' }).rule).toBe('unknown');
    expect(of({ body: 'forbidden here' }).rule).toBe('text:permission');
  });
});

describe('words that may be codes', () => {
  it('are codes without spaces, up to 100 characters', () => {
    const long = (length: number) => `${'x'.repeat(length - 10)}_not_found`;
    expect(of({ code: long(100) }).rule).toBe(`code:${long(100)}`);
    expect(of({ code: long(101) }).rule).toBe('text:not found');
    expect(of({ code: 'was not found' }).rule).toBe('text:not found');
    expect(of({ code: 'was\nnot found' }).rule).toBe('text:not found');
  });
  it('are statuses if they are the digits of one', () => {
    expect(of({ status: '503' }).rule).toBe('status:503');
    expect(of({ code: '404' }).rule).toBe('status:404');
    expect(of({ code: ' 404 ' }).rule).toBe('status:404');
    expect(of({ error: '404' }).rule).toBe('unknown');
    expect(of({ code: '4040' }).rule).toBe('unknown');
    expect(of({ status: '0x1f7' }).rule).toBe('unknown');
  });
});

describe('classes with getters as fields', () => {
  class Answer {
    get status(): number {
      return 404;
    }
  }
  class Special extends Answer {}
  class Failure extends Error {
    get response(): Answer {
      return new Special();
    }
  }
  it('are read like own fields', () => {
    expect(of(new Answer()).rule).toBe('status:404');
    expect(of(new Special()).rule).toBe('status:404');
    expect(of(new Failure()).rule).toBe('status:404');
  });
  it('are read up to a depth of a dozen classes', () => {
    const below = (levels: number): object => (levels === 0 ? new Answer() : (Object.create(below(levels - 1)) as object));
    expect(of(below(8)).rule).toBe('status:404');
    expect(of(below(14)).rule).toBe('unknown');
  });
});

describe('limits', () => {
  const refused = { code: 'ECONNREFUSED' };
  const causes = (depth: number, last: object): object => (depth === 0 ? last : { cause: causes(depth - 1, last) });
  it('a dozen causes', () => {
    expect(of(causes(12, refused)).rule).toBe('code:ECONNREFUSED');
    expect(of(causes(13, refused)).rule).toBe('unknown');
  });
  it('eight parallel errors', () => {
    const errors = (before: number) => ({ errors: [...Array.from({ length: before }, () => ({ message: 'x' })), refused] });
    expect(of(errors(7)).rule).toBe('code:ECONNREFUSED');
    expect(of(errors(8)).rule).toBe('unknown');
  });
  it('eight elements of a list in a response', () => {
    const details = (before: number) => ({ details: [...Array.from({ length: before }, () => ({})), refused] });
    expect(of(details(7)).rule).toBe('code:ECONNREFUSED');
    expect(of(details(8)).rule).toBe('unknown');
  });
  it('48 objects', () => {
    // one error, a response below a response …
    const nested = (depth: number): object => (depth === 0 ? refused : { response: nested(depth - 1) });
    expect(of(nested(47)).rule).toBe('code:ECONNREFUSED');
    expect(of(nested(48)).rule).toBe('unknown');
  });
  it('256 fields', () => {
    const wide = (before: number) => ({
      ...Object.fromEntries(Array.from({ length: before }, (_unused, index) => [`x${String(index)}`, 1])),
      ...refused,
    });
    expect(of(wide(255)).rule).toBe('code:ECONNREFUSED');
    expect(of(wide(256)).rule).toBe('unknown');
  });
  it('field names up to 40 characters', () => {
    const name = (length: number) => `${'x'.repeat(length - 5)}Error`;
    expect(of({ [name(40)]: refused }).rule).toBe('code:ECONNREFUSED');
    expect(of({ [name(41)]: refused }).rule).toBe('unknown');
  });
  it('the start and the end of a long text', () => {
    const text = (before: number, after: number) => `${'x '.repeat(before / 2)}connection refused ${' x'.repeat(after / 2)}`;
    expect(of(new Error(text(1500, 4000))).rule).toBe('words:network');
    expect(of(new Error(text(4000, 400))).rule).toBe('words:network');
    expect(of(new Error(text(2000, 4000))).rule).toBe('unknown');
    expect(of(new Error(text(1700, 200))).rule).toBe('words:network');
  });
  it('each object once', () => {
    const shared = errorWith({ code: 'ECONNREFUSED' });
    expect(of(errorWith({ status: 404, headers: { date: 'x' }, cause: shared, response: { error: shared } })).rule).toBe('status:404');
  });
});
