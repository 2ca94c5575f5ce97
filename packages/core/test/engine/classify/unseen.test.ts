/** Errors of real clients that are not in the corpus, field by field as the client and version threw them. */
import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import type { ErrorCategory, ErrorClass } from '../../../src/engine/classify/classification.ts';
import { errorWith } from './errors.ts';

type Row = readonly [client: string, error: unknown, classification: ErrorClass, category: ErrorCategory, ambiguous: boolean];

const timeoutCause = errorWith({}, 'operation timed out for an unknown reason', 'TimeoutError');

const rows: readonly Row[] = [
  [
    'aws-sdk 2.1693, connection refused',
    errorWith(
      { code: 'UnknownEndpoint', region: 'eu-west-1', retryable: true },
      "Inaccessible host: `127.0.0.1' at port `1'. This service may not be available in the `eu-west-1' region.",
      'UnknownEndpoint',
    ),
    'transient',
    'network',
    false,
  ],
  [
    'simple-git 4.0, connection refused',
    errorWith({ reason: 'UNKNOWN' }, "fatal: unable to access 'http://127.0.0.1:1/': Failed to connect to 127.0.0.1 port 1 after 0 ms"),
    'transient',
    'network',
    true,
  ],
  ['simple-git 4.0, no repository', errorWith({ reason: 'UNKNOWN' }, 'fatal: not a git repository: .git'), 'permanent', 'not_found', false],
  [
    'knex 3.3, pool exhausted',
    errorWith({ cause: timeoutCause }, 'Knex: Timeout acquiring a connection. The pool is probably full.', 'KnexTimeoutError'),
    'transient',
    'timeout',
    false,
  ],
  [
    'sequelize 6.37, pool exhausted',
    errorWith({ parent: timeoutCause }, 'Operation timeout', 'SequelizeConnectionAcquireTimeoutError'),
    'transient',
    'timeout',
    false,
  ],
  ['ioredis 5.11, cluster', new Error('None of startup nodes is available'), 'transient', 'network', true],
  [
    'ssh2-sftp-client 12, no response',
    errorWith({ code: 'ERR_GENERIC_CLIENT' }, 'getConnection: Timed out while waiting for handshake'),
    'transient',
    'timeout',
    false,
  ],
  [
    'mariadb, not connected in time',
    errorWith(
      { code: 'ER_CONNECTION_TIMEOUT', sqlState: '08S01', errno: 45012 },
      '(conn:-1, no: 45012, SQLState: 08S01) Connection timeout: failed to create socket after 401ms',
      'SqlError',
    ),
    'transient',
    'timeout',
    false,
  ],
  ['oracledb, no such alias', errorWith({ code: 'NJS-517' }, 'NJS-517: no entry named X'), 'permanent', 'invalid_input', false],
  [
    'oauth4webapi, a status that its code does not name',
    errorWith(
      { code: 'OAUTH_RESPONSE_IS_NOT_CONFORM', cause: { status: 503, statusText: 'Service Unavailable', ok: false } },
      '"response" is not a conform Token Endpoint response (unexpected HTTP status code)',
      'OperationProcessingError',
    ),
    'transient',
    'unavailable',
    false,
  ],
  [
    'minipass-fetch, a response over the limit',
    errorWith({ code: 'EBADSIZE', type: 'max-size' }, 'Bad data size: expected 10 bytes, but got 999', 'FetchError'),
    'permanent',
    'payload_too_large',
    true,
  ],
  ['node-ssh 13, not connected', errorWith({ level: 'client' }, 'Not connected to server'), 'transient', 'network', false],
  [
    'js-yaml 4, cut',
    errorWith({ reason: 'x' }, 'unexpected end of the stream within a flow collection (1:6)', 'YAMLException'),
    'permanent',
    'invalid_input',
    false,
  ],
  ['yauzl 3, not a zip', new Error('End of central directory record signature not found.'), 'permanent', 'invalid_input', true],
  [
    'nunjucks 3, syntax',
    errorWith({}, '(unknown path) [Line 1, Column 7]\n  unexpected token: %}', 'Template render error'),
    'permanent',
    'invalid_input',
    false,
  ],
  ['sass 1, syntax', errorWith({}, 'Expected expression.\n  1 │ a { b:'), 'permanent', 'invalid_input', true],
  ['bullmq 5, a name', new Error('Queue name cannot contain :'), 'permanent', 'invalid_input', true],
  ['kysely 0.28, no result', errorWith({ node: {} }, 'no result'), 'permanent', 'not_found', true],
  [
    'pg-promise 12.7, too many results',
    errorWith({ code: 2 }, 'Multiple rows were not expected.', 'QueryResultError'),
    'permanent',
    'contract',
    true,
  ],
  [
    'csv-parse 6, an open quote',
    errorWith({ code: 'CSV_QUOTE_NOT_CLOSED' }, 'Quote Not Closed: the parsing is finished with an opening quote at line 1'),
    'permanent',
    'invalid_input',
    false,
  ],
  ['xml2js 0.6', new Error('Unexpected close tag\nLine: 0\nColumn: 10\nChar: >'), 'permanent', 'invalid_input', true],
  ['fast-xml-parser 5', new Error("Expected closing tag 'b' instead of closing tag 'a'.:1:7"), 'permanent', 'invalid_input', true],
  ['basic-ftp 6, after a clone', new Error('530 Login incorrect'), 'permanent', 'auth', false],
  [
    'node-fetch 2.7, truncated body, after a clone',
    new Error('Invalid response body while trying to fetch http://127.0.0.1:1/: Premature close'),
    'transient',
    'network',
    true,
  ],
  [
    'MCP over HTTP 1.32, lost session, its status in `code`',
    errorWith({ code: 400 }, 'Error POSTing to endpoint (HTTP 400): Bad Request: No valid session ID provided', 'StreamableHTTPError'),
    'transient',
    'network',
    false,
  ],
  [
    'a worker that exited',
    errorWith({ code: 'WORKER_EXITED' }, 'The worker exited with code 3 before it answered'),
    'transient',
    'network',
    true,
  ],
  ['a process that exited', errorWith({ code: 'PROCESS_EXITED', exitCode: 3 }, 'tool exited with code 3'), 'transient', 'network', true],
  [
    'an output that cannot be transferred from its worker',
    errorWith({ code: 'OUTPUT_NOT_CLONEABLE', retryable: false }, 'The output cannot leave the worker'),
    'permanent',
    'contract',
    true,
  ],
  ['a closed runner', errorWith({ code: 'RUNNER_CLOSED', retryable: false }, 'http is closed'), 'permanent', 'bug', false],
  ['a missing secret', errorWith({ code: 'SECRET_MISSING', retryable: false }, 'X is not set'), 'permanent', 'auth', false],
  [
    'a worker that failed to start',
    errorWith({ code: 'WORKER_START_FAILED', retryable: false }, 'no such function'),
    'permanent',
    'bug',
    false,
  ],
];

it.each(rows)('%s', (_client, error, classification, category, ambiguous) => {
  expect(classify(error, { nowEpochMs: 0 })).toMatchObject({ classification, category, ambiguous });
});
