/** Values that resemble evidence but are none: similar names, places and values. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { compileRules } from '../../../src/engine/classify/rules.ts';
import { describeError } from '../../../src/engine/classify/describe-error.ts';
import { errorWith } from './errors.ts';
import { of } from './meanings.ts';

const ruleOf = (error: unknown): string => of(error).rule;
const words = (text: string): readonly string[] => text.split(' ');

describe('a single word', () => {
  it.each(
    words(
      'msg message errmsg errMsg errMessage errorMsg error_msg errorMessage error_message sqlMessage shortMessage description error_description detail details title text stderr',
    ),
  )('is a message in %s', (name) => expect(ruleOf({ [name]: 'forbidden' })).toBe('text:permission'));
  it.each(words('body data content output payload result response raw exception'))('is not one in %s', (name) => {
    expect(ruleOf({ [name]: 'forbidden' })).toBe('unknown');
  });
});

describe('a wrapped error decides before its wrapper', () => {
  const inner = { code: 'ECONNREFUSED' };
  it.each(
    words(
      'cause rootCause originalError original_error innerError inner_error lastError last_error driverError networkError network_error inner original err reason parent detail previous exception suppressed',
    ),
  )('in %s', (name) => expect(ruleOf({ code: 'EPIPE', [name]: inner })).toBe('code:ECONNREFUSED'));
  it.each(words('error data response myError myOriginalError details myDriver_error responseErr'))(
    'not another part of the same error, in %s',
    (name) => {
      expect(ruleOf({ code: 'EPIPE', [name]: inner })).toBe('code:EPIPE');
      expect(ruleOf({ [name]: inner })).toBe('code:ECONNREFUSED');
    },
  );
  it.each(words('lastErrorX myErrorList detailsX someErrorsX causeX underlying'))('nor an empty value, in %s', (name) => {
    expect(ruleOf({ [name]: inner })).toBe('unknown');
    expect(ruleOf({ [name]: [inner] })).toBe('unknown');
  });
  it('also as a string', () => {
    expect(ruleOf({ message: 'forbidden', cause: 'not found' })).toBe('text:not found');
    expect(ruleOf({ message: 'forbidden', description: 'not found' })).toBe('text:permission');
  });
});

describe('certain evidence is read before nested evidence', () => {
  it.each<[object, string]>([
    [{ error: 'ENOENT', code: 'ECONNRESET' }, 'code:ECONNRESET'],
    [{ reason: 'ENOENT', code: 'ECONNRESET' }, 'code:ECONNRESET'],
    [{ data: { code: 'ENOENT' }, code: 'ECONNRESET' }, 'code:ECONNRESET'],
    [{ body: '{"code":"ENOENT"}', code: 'ECONNRESET' }, 'code:ECONNRESET'],
  ])('%j', (error, rule) => expect(ruleOf(error)).toBe(rule));
});

describe('a name', () => {
  it.each<[object]>([
    [{ data: { name: 'TimeoutError' } }],
    [{ details: [{ name: 'TimeoutError' }] }],
    [{ body: '{"name":"TimeoutError"}' }],
    [{ message: '{"name":"TimeoutError"}' }],
    [{ constructor: { name: 'TimeoutError' } }],
    [{ response: new (class TimeoutError {})() }],
  ])("is the error's own, not that of its parts: %j", (error) => expect(ruleOf(error)).not.toBe('name:TimeoutError'));
  it.each(words('MyTypeError TypeErrorX XRangeError Errors ObjectX MapError'))('%s is not a built-in one', (name) => {
    expect(ruleOf(errorWith({}, '', name))).toBe('unknown');
  });
  it('that starts like a plain one is read', () => {
    expect(ruleOf(errorWith({}, '', 'ErrorNotFound'))).toBe('name:ErrorNotFound');
    expect(ruleOf(errorWith({}, '', 'ResponseTimeout'))).toBe('name:ResponseTimeout');
  });
  it('that is empty does not count', () => {
    expect(describeError(errorWith({}, 'x', '')).name).toBe('Error');
  });
});

describe('a code', () => {
  it.each(words('MY_CERT_X MY_HPE_X MY_ERR_NAME_X A40001 040001 40001A XZ_DATA x'))('%s is not a known one', (code) => {
    expect(ruleOf(errorWith({ code }))).toBe('unknown');
  });
  it('is recognized by its last part', () => {
    expect(of(errorWith({ code: 'ns#ECONNREFUSED' }))).toMatchObject({ rule: 'code:ns#ECONNREFUSED', category: 'network' });
    expect(of(errorWith({ code: 'MYSQLITE_BUSY_SNAPSHOT' })).category).toBe('unavailable');
  });
  it('of words belongs to a service if it is not about the connection', () => {
    expect(ruleOf({ status: 400, code: 'widget_not_found' })).toBe('code:widget_not_found');
    expect(ruleOf({ status: 400, code: 'widget_timeout' })).toBe('status:400');
    expect(ruleOf({ status: 400, code: 'widget_disconnected' })).toBe('status:400');
    expect(ruleOf({ status: 400, code: 'widget_cancelled' })).toBe('status:400');
  });
  it('that is empty does not count', () => {
    expect(of({ code: '' })).not.toHaveProperty('code');
    expect(describeError({ code: '', message: 'x' })).not.toHaveProperty('code');
  });
});

describe('a number', () => {
  it.each<[object, string | undefined, string]>([
    [{ cmd: 'x', code: 404 }, undefined, 'unknown'],
    [{ number: 404 }, undefined, 'unknown'],
    [{ code: 404 }, 'MongoDriver', 'unknown'],
    [{ code: 13 }, 'MyMongoError', 'unknown'],
    [{ code: 404, metadata: {} }, undefined, 'status:404'],
    [{ code: 404, details: 'x' }, undefined, 'status:404'],
    [{ code: 1006, metadata: {} }, undefined, 'websocket:1006'],
    [{ responseCode: 421, status: 404 }, undefined, 'reply:421'],
    [{ code: 5, metadata: 'x' }, undefined, 'unknown'],
    [{ code: 5, details: {} }, undefined, 'unknown'],
    [{ code: 5, metadata: {}, details: {} }, undefined, 'grpc:5'],
  ])('%j %s', (fields, name, rule) => expect(ruleOf(errorWith({ ...fields }, '', name))).toBe(rule));
  it('of two digits in a gRPC text', () => expect(ruleOf(errorWith({ code: 14 }, '14 UNAVAILABLE: x'))).toBe('grpc:14'));
});

describe('an effect', () => {
  it.each([{ type: 'connect' }, { retryable: true }, { lastsyscall: 'connect' }, { myevent: 'lookup' }, { status: 'connect' }])(
    'may have happened despite %j',
    (fields) => expect(of({ code: 'ECONNRESET', ...fields }).ambiguous).toBe(true),
  );
});

describe('a wait', () => {
  it.each([{ title: '7' }, { data: { 'retry-after': '7' } }, { data: { seconds: 7 } }, { code: 7 }, { response: { 'retry-after': '7' } }])(
    'is not one in %j',
    (fields) => expect(of({ status: 429, ...fields })).not.toHaveProperty('retryAfterMs'),
  );
});

describe('what is not read', () => {
  it('functions', () => {
    const answer = Object.assign(() => 1, { status: 404 });
    expect(ruleOf(answer)).toBe('unknown');
    expect(ruleOf({ response: answer })).toBe('unknown');
    expect(ruleOf({ cause: answer })).toBe('unknown');
  });
  it('objects that contain more than headers', () => {
    expect(ruleOf({ headers: { status: 404 } })).toBe('unknown');
    expect(ruleOf({ headers: [{ code: 'ECONNREFUSED' }] })).toBe('unknown');
  });
  it('JSON outside of responses', () => {
    expect(ruleOf({ title: '{"code":"widget_not_found"}' })).toBe('text:not found');
    expect(ruleOf({ body: '{"code":"widget_not_found"}' })).toBe('code:widget_not_found');
    expect(ruleOf({ message: '"{\\"code\\":\\"widget_not_found\\"}"' })).toBe('text:not found');
  });
  it('a dozen classes with getters', () => {
    class Answer {
      get status(): number {
        return 404;
      }
    }
    const below = (levels: number): object => (levels === 0 ? new Answer() : (Object.create(below(levels - 1)) as object));
    expect(ruleOf(below(12))).toBe('status:404');
    expect(ruleOf(below(13))).toBe('unknown');
  });
});

describe('a rule of the manifest', () => {
  it.each(
    words(
      'network timeout rate_limit unavailable auth permission not_found invalid_input conflict unsupported payload_too_large quota_exhausted cancelled contract bug resource unknown',
    ),
  )('may name the category %s', (category) => {
    const overrides = compileRules([{ code: 'X', as: 'permanent', category: category as 'auth' }]);
    expect(classify({ code: 'X' }, { nowEpochMs: 0, overrides })).toMatchObject({
      classification: 'permanent',
      category,
      rule: 'override:code=X',
    });
  });
  it('may match any status', () => {
    for (const status of [100, 200, 599]) {
      const overrides = compileRules([{ status, as: 'permanent' }]);
      expect(classify({ status }, { nowEpochMs: 0, overrides }).rule).toBe(`override:status=${String(status)}`);
    }
  });
});

describe('a wrapped cancel', () => {
  it.each([
    'MCP error -32603: aborted',
    'Error: MCP error -32603: aborted',
    'Error aborted',
    'uncaught Error: aborted',
    'error: Error: aborted',
  ])('%s', (text) => {
    expect(ruleOf(new Error(text))).toBe('text:cancelled');
  });
  it.each(['the Error: aborted by x', 'Error: Error: Error: Error: Error: aborted by x', 'MCP error -1: aborted by x'])(
    'not %s',
    (text) => {
      expect(ruleOf(new Error(text))).not.toBe('text:cancelled');
    },
  );
});
