/** Codes and class names that are the only evidence of an error. */
import { describe, expect, it } from 'vitest';
import { errorWith } from './errors.ts';
import { meanings, of } from './meanings.ts';

const coded = (code: string): unknown => errorWith({ code });

describe('codes of systems, runtimes and HTTP clients', () => {
  meanings(
    'code',
    [
      ['transient network', 'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN EADDRNOTAVAIL ConnectionRefused'],
      ['transient network', 'ERR_NAME_NOT_RESOLVED ERR_ADDRESS_UNREACHABLE ERR_INTERNET_DISCONNECTED ERR_PROXY_CONNECTION_FAILED'],
      ['transient network?', 'ECONNRESET ECONNABORTED EPIPE UND_ERR_SOCKET ERR_STREAM_PREMATURE_CLOSE PROTOCOL_CONNECTION_LOST'],
      ['transient network?', 'ERR_NETWORK ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR WORKER_EXITED PROCESS_EXITED'],
      ['transient timeout?', 'ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT'],
      ['transient timeout', 'ETIMEOUT UND_ERR_CONNECT_TIMEOUT ERR_SOCKET_CONNECTION_TIMEOUT'],
      ['permanent not_found', 'ENOENT ENODEV ESRCH ENOTDIR'],
      ['permanent permission', 'EACCES EPERM EROFS'],
      ['permanent auth', 'EAUTH ELOGIN SECRET_MISSING'],
      ['permanent conflict', 'EEXIST ENOTEMPTY'],
      ['transient conflict', 'EBUSY EDEADLK EADDRINUSE ELOCKED'],
      ['transient resource', 'EMFILE ENFILE ENOMEM'],
      ['permanent resource?', 'ENOSPC EDQUOT'],
      ['transient unavailable', 'ESTALE EOPENBREAKER NGHTTP2_REFUSED_STREAM'],
      ['transient unavailable?', 'EIO EINTR'],
      ['transient resource?', 'WORKER_OUT_OF_MEMORY ERR_WORKER_OUT_OF_MEMORY EAGAIN EWOULDBLOCK'],
      ['permanent invalid_input', 'EINVAL EISDIR ENAMETOOLONG ELOOP ERR_INVALID_URL'],
      ['permanent unsupported', 'ENOSYS ENOTSUP EXDEV EAFNOSUPPORT'],
      ['permanent payload_too_large', 'EFBIG E2BIG'],
      ['permanent payload_too_large?', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER OUTPUT_TOO_LARGE MCP_MESSAGE_TOO_LARGE'],
      ['permanent permission?', 'REDIRECT_FORBIDDEN'],
      ['permanent contract?', 'UND_ERR_HEADERS_OVERFLOW OUTPUT_NOT_CLONEABLE HPE_HEADER_OVERFLOW Z_DATA_ERROR ERR_CONTENT_DECODING_FAILED'],
      ['permanent bug', 'ERR_INVALID_ARG_TYPE ERR_ASSERTION EBADF ERR_STREAM_WRITE_AFTER_END RUNNER_CLOSED WORKER_START_FAILED'],
      ['permanent network', 'EPROTO HOSTNAME_MISMATCH ETLS CERT_HAS_EXPIRED UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_SSL_WRONG_VERSION_NUMBER'],
      ['permanent network', 'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN ERR_TLS_CERT_ALTNAME_INVALID CRL_HAS_EXPIRED'],
      ['neutral cancelled?', 'ABORT_ERR ERR_CANCELED UND_ERR_ABORTED ECANCELED'],
    ],
    coded,
  );
});

describe('codes of services', () => {
  meanings(
    'code',
    [
      ['transient rate_limit', 'LimitExceededException BandwidthLimitExceeded PriorRequestNotComplete concurrentLimitExceeded'],
      ['transient rate_limit', 'ThrottlingException TooManyRequestsException SlowDown rateLimitExceeded PROVISIONED_THROUGHPUT_EXCEEDED'],
      ['transient conflict', 'OperationAborted OperationConflictException ABORTED WatchError TRYAGAIN INPROG'],
      ['permanent conflict', 'TransactionCanceledException BUSYKEY BUSYGROUP ResourceAlreadyExists ConditionalCheckFailedException'],
      ['transient timeout?', 'RequestTimeout RequestTimeoutException'],
      ['transient timeout?', 'DEADLINE_EXCEEDED deadline_exceeded'],
      ['permanent auth', 'UnrecognizedClientException CredentialsProviderError RequestTimeTooSkewed NOAUTH WRONGPASS'],
      ['permanent auth', 'UNAUTHENTICATED InvalidAccessKeyId invalid_token token_expired invalid_grant'],
      [
        'permanent permission',
        'AllAccessDisabled InvalidObjectState NOPERM not_in_channel restricted_action AccessDenied PERMISSION_DENIED',
      ],
      ['permanent quota_exhausted', 'dailyLimitExceeded insufficient_quota billing_hard_limit_reached QuotaExceeded'],
      ['permanent invalid_input', 'IncompleteBody WRONGTYPE EXECABORT CROSSSLOT card_declined StripeCardError'],
      ['permanent invalid_input?', 'ZodError ValiError'],
      ['permanent invalid_input', 'INVALID_ARGUMENT ValidationException validation_error missing_required_field'],
      [
        'transient unavailable?',
        'INTERNAL DATA_LOSS UNAVAILABLE internal data-loss UNKNOWN unknown api_error fatal_error InternalServerError',
      ],
      ['transient unavailable', 'LOADING BUSY CLUSTERDOWN READONLY NOT_LEADER_FOR_PARTITION REBALANCE_IN_PROGRESS'],
      ['transient unavailable?', 'overloaded_error ServiceUnavailable'],
      ['transient network', 'MOVED ASK'],
      ['permanent not_found', 'NOSCRIPT NOGROUP NoSuchBucket model_not_found NOT_FOUND channel_not_found'],
      ['transient resource', 'OOM'],
      ['permanent contract?', 'ParseError AI_TypeValidationError AI_NoObjectGeneratedError'],
      ['permanent unsupported', 'UNIMPLEMENTED MethodNotAllowed'],
      ['permanent payload_too_large', 'EntityTooLarge context_length_exceeded'],
      ['neutral cancelled?', 'CLIENT_CLOSED_REQUEST AbortException CancelError'],
    ],
    coded,
  );
  it('are also recognized after an address or a namespace, and before a variant', () => {
    expect(of(errorWith({ __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' })).category).toBe('rate_limit');
    expect(of(errorWith({ code: 'namespace#ResourceNotFoundException' })).category).toBe('not_found');
    expect(of({ type: 'https://errors.example/not-found' }).rule).toBe('unknown');
  });
});

describe('codes of databases', () => {
  meanings(
    'code',
    [
      ['transient network', '08001 08004 57P05 P1001 ORA-12541 ORA-12154 NJS-503'],
      ['transient network?', '08006 08S01 ORA-03113 ORA-03135 NJS-500'],
      [
        'permanent not_found',
        '42P01 42703 42S02 02000 3D000 3F000 ER_BAD_FIELD_ERROR ER_NO_SUCH_TABLE SQLITE_CANTOPEN P2025 PGRST116 ORA-00942',
      ],
      ['permanent conflict', '42P07 42710 23505 23503 2BP01 55000 ER_DUP_ENTRY ER_ROW_IS_REFERENCED_2 SQLITE_CONSTRAINT_UNIQUE ORA-00001'],
      [
        'permanent invalid_input',
        '23502 23514 21000 22P02 26000 42601 44000 P0001 ER_DATA_TOO_LONG SQLITE_CONSTRAINT_NOTNULL SQLITE_ERROR',
      ],
      ['permanent permission', '42501 25006 ER_DBACCESS_DENIED_ERROR SQLITE_READONLY SQLITE_AUTH ORA-01031'],
      ['transient timeout', '57014 HYT00 25P03 ER_QUERY_TIMEOUT ER_QUERY_INTERRUPTED ORA-12170 NJS-040'],
      ['transient timeout?', 'ORA-01013 NJS-123'],
      ['transient conflict', '55P03 25P02 40001 40P01 ER_LOCK_NOWAIT ER_LOCK_WAIT_TIMEOUT SQLITE_BUSY SQLITE_LOCKED_SHAREDCACHE ORA-00060'],
      ['permanent resource', '53100 SQLITE_FULL'],
      ['transient resource', '53200 53400 ER_OUTOFMEMORY POOL_ENQUEUELIMIT SQLITE_NOMEM P2024'],
      ['transient unavailable?', '57P01 57P02'],
      ['transient unavailable', '53300 58030 ER_CON_COUNT_ERROR ER_READ_ONLY_MODE SQLITE_IOERR_READ PGRST000 ORA-12514'],
      ['permanent auth', '28P01 28000 ER_ACCESS_DENIED_ERROR ORA-01017'],
      ['permanent unsupported', '0A000'],
      ['permanent payload_too_large', '54000 SQLITE_TOOBIG'],
      ['permanent bug', '24000 SQLITE_MISUSE'],
      ['transient unavailable?', 'XX000'],
    ],
    coded,
  );
  it.each(['HY000', 'ABCDE', '12345', '99X99', '0800', '080060'])('%s is not a SQLSTATE with a known meaning', (code) => {
    expect(of(errorWith({ code })).rule).toBe('unknown');
  });
});

describe('names of classes', () => {
  meanings(
    'name',
    [
      ['permanent bug?', 'TypeError RangeError ReferenceError SyntaxError EvalError URIError'],
      ['permanent not_found', 'NotFoundError ModelNotFoundException'],
      ['transient rate_limit', 'ThrottlingException RateLimitError'],
      ['transient timeout?', 'TimeoutError RequestTimedOutError'],
      ['permanent invalid_input?', 'ZodError'],
      ['permanent invalid_input', 'ValidationError'],
      ['permanent auth', 'AuthenticationError UnauthorizedError'],
      ['neutral cancelled?', 'AbortError CancelledError'],
    ],
    (name) => errorWith({}, '', name),
  );
  it.each(['Error', 'Object', 'Map', 'Response', 'AggregateError', 'OddError', 'MyTypeErrors'])('%s means nothing', (name) => {
    expect(of(errorWith({}, '', name)).rule).toBe('unknown');
  });
  it('are also found in a tag, and in the class itself', () => {
    expect(of({ _tag: 'NotFoundError' }).rule).toBe('name:NotFoundError');
    expect(of(new (class RateLimitError extends Error {})()).rule).toBe('name:RateLimitError');
  });
  it('of built-in classes count less than the message', () => {
    expect(of(errorWith({}, 'connection reset by peer', 'RangeError')).category).toBe('network');
  });
  it('of vague classes count less than the message', () => {
    expect(of(errorWith({}, 'connection reset by peer', 'ValidationError')).category).toBe('network');
    expect(of(errorWith({}, 'connection reset by peer', 'NotFoundError')).category).toBe('not_found');
  });
  it("count as a service's own code if the error comes from a service", () => {
    const throttled = { status: 400 };
    expect(of(errorWith({ ...throttled, $fault: 'client' }, 'x', 'ThrottlingException')).rule).toBe('name:ThrottlingException');
    expect(of(errorWith({ ...throttled, $metadata: {} }, 'x', 'ThrottlingException')).rule).toBe('name:ThrottlingException');
    expect(of(errorWith(throttled, 'x', 'ThrottlingException')).rule).toBe('status:400');
  });
  it.each([80, 81])('of %i characters', (length) => {
    const name = `${'X'.repeat(length - 'NotFoundError'.length)}NotFoundError`;
    expect(of(errorWith({}, '', name)).rule).toBe(length > 80 ? 'unknown' : `name:${name}`);
  });
});

describe('codes that only name the library', () => {
  it.each(['ERR_BAD_REQUEST', 'ERR_BAD_RESPONSE', 'ERR_NON_2XX_3XX_RESPONSE', 'EREQUEST', 'EENVELOPE', 'error', 'None', 'OK'])(
    '%s leaves the decision to the message',
    (code) => {
      const found = of(errorWith({ code }, 'duplicate key'));
      expect(found.rule).toBe('text:conflict');
      expect(found).not.toHaveProperty('code');
    },
  );
  it.each(['XERR_BAD_REQUEST', 'ERR_BAD_REQUEST_X', 'errors', 'aerror'])('%s counts like any other code', (code) => {
    expect(of(errorWith({ code }, 'duplicate key')).code).toBe(code);
  });
});
