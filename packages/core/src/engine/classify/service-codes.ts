/**
 * Owns the codes of services whose names alone would be misclassified (`phrases.ts` reads the others), in rows of
 * `[verdict, codes, weight]`. Does not own database codes.
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

export const serviceCodes: Rows = [
  // cloud providers
  [
    is.rateLimit,
    'OverLimit TOO_MANY_SIMULTANEOUS_QUERIES LimitExceededException BandwidthLimitExceeded PriorRequestNotComplete concurrentLimitExceeded',
  ],
  [is.contention, 'OperationAborted OperationConflictException'],
  [is.conflict, 'TransactionCanceledException', is.general],
  [is.timeout, 'RequestTimeout RequestTimeoutException'],
  [is.auth, 'UnrecognizedClientException CredentialsProviderError RequestTimeTooSkewed RequestExpired'],
  [is.permission, 'AllAccessDisabled InvalidObjectState'],
  [is.quota, 'dailyLimitExceeded'],
  [is.invalidInput, 'IncompleteBody'],
  [is.timeout, 'ModelTimeoutException'],
  // gRPC, Connect, GraphQL
  [is.brokenServer, 'INTERNAL DATA_LOSS UNAVAILABLE', is.rpc],
  [is.brokenServer, 'UNKNOWN', is.fallback],
  [is.timeout, 'DEADLINE_EXCEEDED', is.rpc],
  [is.contention, 'ABORTED', is.general],
  [is.invalidInput, 'BAD_USER_INPUT GRAPHQL_VALIDATION_FAILED GRAPHQL_PARSE_FAILED'],
  [is.cancelled, 'CLIENT_CLOSED_REQUEST', is.name],
  [is.brokenServer, 'api_error fatal_error', is.general],
  // brokers and caches
  [is.conflict, 'BUSYKEY BUSYGROUP'],
  [is.contention, 'WatchError TRYAGAIN INPROG'],
  [is.unavailable, 'LOADING BUSY CLUSTERDOWN MASTERDOWN NOREPLICAS MISCONF READONLY UNKILLABLE'],
  [is.refused, 'MOVED ASK'],
  [is.auth, 'INVALID_SESSION_ID NOAUTH WRONGPASS AUTHENTICATIONFAILED'],
  [is.permission, 'NOPERM'],
  [is.invalidInput, 'WRONGTYPE EXECABORT CROSSSLOT'],
  [is.notFound, 'NOSCRIPT NOGROUP'],
  [is.exhausted, 'OOM'],
  [
    is.unavailable,
    'NOT_LEADER_FOR_PARTITION LEADER_NOT_AVAILABLE COORDINATOR_NOT_AVAILABLE COORDINATOR_LOAD_IN_PROGRESS NOT_ENOUGH_REPLICAS BROKER_NOT_AVAILABLE REBALANCE_IN_PROGRESS',
  ],
  [is.exhausted, 'ESEMLOCKED'],
  [is.invalidInput, 'EENVELOPE', is.fallback],
  // payment and messaging
  [is.invalidInput, 'card_error StripeCardError card_declined'],
  [is.permission, 'not_in_channel restricted_action'],
  // names of classes
  [is.exhausted, 'BulkheadRejectedError', is.name],
  [is.invalidValue, 'ZodError $ZodError ValiError StructError', is.name],
  [
    is.contract,
    'ParseError PARSE_ERROR ServerParseError AI_TypeValidationError AI_NoObjectGeneratedError ResponseValidationError',
    is.name,
  ],
  [is.invalidInput, 'AI_InvalidToolInputError AI_InvalidPromptError AI_InvalidArgumentError', is.name],
];

/** SOAP fault codes, without the prefix of their namespace. */
export const soapFaults: Rows = [
  [is.invalidInput, 'Client Sender InvalidRequest DataEncodingUnknown BadRequest'],
  [
    is.auth,
    'FailedAuthentication FailedCheck InvalidSecurity InvalidSecurityToken SecurityTokenUnavailable UnsupportedSecurityToken MessageExpired',
  ],
  [is.unsupported, 'MustUnderstand VersionMismatch'],
  [is.brokenServer, 'Server Receiver'],
];

/** Words that open a reply of Redis and its relatives. */
export const replyWords: RegExp =
  /^(?:NO(?:AUTH|PERM|SCRIPT|GROUP|REPLICAS)|WRONG(?:PASS|TYPE)|BUSY(?:KEY|GROUP)?|LOADING|(?:CLUSTER|MASTER)DOWN|TRYAGAIN|MOVED|ASK|READONLY|MISCONF|OOM|EXECABORT|CROSSSLOT|UNKILLABLE|INPROG)$/;
