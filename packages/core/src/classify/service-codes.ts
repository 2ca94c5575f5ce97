/**
 * Owns the codes of services that their words alone would misread (`phrases.ts` reads the rest). Does not own database codes.
 */
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

export const serviceCodes: ReadonlyMap<string, Entry> = is.tableOf([
  // cloud providers
  [
    is.rateLimit,
    'answer',
    'LimitExceededException RequestLimitExceeded BandwidthLimitExceeded PriorRequestNotComplete EC2ThrottledException userRateLimitExceeded rateLimitExceeded RATE_LIMIT_EXCEEDED concurrentLimitExceeded',
  ],
  [
    is.contention,
    'answer',
    'TransactionInProgressException TransactionConflictException TransactionConflict OperationAborted ConcurrentModificationException OperationConflictException PendingVerification ConflictingOperationInProgress',
  ],
  [
    is.conflict,
    'answer',
    'ConditionalCheckFailed ConditionalCheckFailedException IdempotentParameterMismatchException ResourceInUseException BucketNotEmpty',
  ],
  [is.conflict, 'general', 'TransactionCanceledException'],
  [is.connectTimeout, 'answer', 'RequestTimeout RequestTimeoutException'],
  [is.brokenServer, 'answer', 'InternalError InternalFailure InternalServerException InternalServerError'],
  [
    is.auth,
    'answer',
    'InvalidAccessKeyId SignatureDoesNotMatch ExpiredToken ExpiredTokenException UnrecognizedClientException InvalidClientTokenId AuthFailure CredentialsProviderError RequestTimeTooSkewed RequestExpired MissingAuthenticationToken InvalidToken',
  ],
  [is.permission, 'answer', 'AccessDenied AccessDeniedException AllAccessDisabled InvalidObjectState'],
  [is.quota, 'answer', 'ServiceQuotaExceededException dailyLimitExceeded quotaExceeded insufficient_quota'],
  [is.invalidInput, 'answer', 'IncompleteBody EntityTooSmall ValidationException MissingContentLength'],
  [is.tooLarge, 'answer', 'EntityTooLarge MaxMessageLengthExceeded string_above_max_length context_length_exceeded'],
  // gRPC names, also as Firebase and Connect spell them
  [is.brokenServer, 'rpc', 'INTERNAL UNKNOWN DATA_LOSS internal unknown data_loss data-loss'],
  [is.invalidInput, 'general', 'INVALID_ARGUMENT OUT_OF_RANGE invalid_argument out_of_range invalid-argument out-of-range'],
  [is.timeout, 'rpc', 'DEADLINE_EXCEEDED deadline_exceeded deadline-exceeded'],
  [is.notFound, 'answer', 'NOT_FOUND not_found not-found'],
  [is.conflict, 'answer', 'ALREADY_EXISTS FAILED_PRECONDITION already_exists failed_precondition already-exists failed-precondition'],
  [is.permission, 'answer', 'PERMISSION_DENIED permission_denied permission-denied'],
  [is.rateLimit, 'answer', 'RESOURCE_EXHAUSTED resource_exhausted resource-exhausted'],
  [is.contention, 'rpc', 'ABORTED'],
  [is.unsupported, 'answer', 'UNIMPLEMENTED unimplemented'],
  [is.unavailable, 'rpc', 'UNAVAILABLE unavailable'],
  [is.auth, 'answer', 'UNAUTHENTICATED unauthenticated'],
  [is.cancelled, 'name', 'CANCELLED CANCELED cancelled canceled CLIENT_CLOSED_REQUEST'],
  // GraphQL and RPC servers
  [is.invalidInput, 'answer', 'BAD_USER_INPUT GRAPHQL_VALIDATION_FAILED GRAPHQL_PARSE_FAILED UNPROCESSABLE_CONTENT'],
  [is.notFound, 'answer', 'PERSISTED_QUERY_NOT_FOUND'],
  [is.brokenServer, 'general', 'INTERNAL_SERVER_ERROR internal_error internal_server_error api_error fatal_error server_error'],
  // brokers and caches
  [is.conflict, 'answer', 'BUSYKEY BUSYGROUP'],
  [is.contention, 'answer', 'WatchError TRYAGAIN INPROG'],
  [is.unavailable, 'answer', 'LOADING BUSY CLUSTERDOWN MASTERDOWN NOREPLICAS MISCONF READONLY UNKILLABLE'],
  [is.refused, 'answer', 'MOVED ASK'],
  [is.auth, 'answer', 'NOAUTH WRONGPASS'],
  [is.permission, 'answer', 'NOPERM DENIED'],
  [is.invalidInput, 'answer', 'WRONGTYPE EXECABORT CROSSSLOT UNBLOCKED'],
  [is.notFound, 'answer', 'NOSCRIPT NOGROUP NoSuchKey'],
  [is.exhausted, 'answer', 'OOM'],
  [
    is.unavailable,
    'answer',
    'NoRespondersError NOT_LEADER_FOR_PARTITION LEADER_NOT_AVAILABLE COORDINATOR_NOT_AVAILABLE COORDINATOR_LOAD_IN_PROGRESS NOT_COORDINATOR NOT_ENOUGH_REPLICAS BROKER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE REBALANCE_IN_PROGRESS',
  ],
  // payment and messaging
  [is.conflict, 'answer', 'idempotency_error StripeIdempotencyError'],
  [is.invalidInput, 'answer', 'card_error StripeCardError card_declined'],
  [is.permission, 'answer', 'not_in_channel restricted_action missing_scope no_permission'],
  [is.auth, 'answer', 'not_authed invalid_auth account_inactive token_revoked token_expired'],
  [is.notFound, 'answer', 'user_not_found channel_not_found message_not_found'],
  // names of classes
  [is.timeout, 'name', 'TimeoutError TimeoutException ReadTimeoutError'],
  [is.connectTimeout, 'name', 'ConnectTimeoutError ConnectionTimeoutError ConnectTimeout'],
  [
    is.cancelled,
    'name',
    'AbortError AbortException CanceledError CancelledError CancelError TaskCanceledException OperationCanceledException OperationCancelledError APIUserAbortError RequestAbortedError',
  ],
  [is.invalidInput, 'name', 'ZodError $ZodError ValiError ValidationError ValidatorError CastError StructError ArkErrors'],
  [
    is.contract,
    'name',
    'ParseError JSONParseError AI_JSONParseError AI_TypeValidationError AI_NoObjectGeneratedError AI_EmptyResponseBodyError',
  ],
]);

/** Words that open a reply of Redis and its relatives. */
export const replyWords: ReadonlySet<string> = new Set(
  'NOAUTH WRONGPASS WRONGTYPE NOPERM BUSY LOADING CLUSTERDOWN MASTERDOWN TRYAGAIN MOVED ASK READONLY MISCONF OOM NOSCRIPT NOGROUP EXECABORT CROSSSLOT BUSYKEY BUSYGROUP NOREPLICAS UNKILLABLE INPROG'.split(
    ' ',
  ),
);
