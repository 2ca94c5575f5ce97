import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['@aws-sdk/client-sqs'];

const call = (base) => new SQSClient({ endpoint: base, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1, requestHandler: { requestTimeout: 1500, throwOnRequestTimeout: true }, useQueueUrlAsEndpoint: false }).send(new SendMessageCommand({ QueueUrl: `${base}/1/q`, MessageBody: 'x' }));
const fail = (id, status, type, message, wanted) => c(id, `HTTP ${status} ${type}`, async (w) => call(await w.ownServer({ status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: { __type: `com.amazonaws.sqs#${type}`, message } })), { label: wanted });

export const cases = [
  fail('over-limit', 403, 'OverLimit', 'Too many messages are in flight', label('transient', 'rate_limit', false, { also: ['resource', 'quota_exhausted'], unscored: ['classification'] })),
  fail('no-queue', 400, 'QueueDoesNotExist', 'The specified queue does not exist.', label('permanent', 'not_found', false)),
  fail('throttled', 400, 'RequestThrottled', 'The request was denied due to request throttling.', label('transient', 'rate_limit', false)),
  fail('too-long', 400, 'InvalidParameterValue', 'One or more parameters are invalid. Reason: Message must be shorter than 262144 bytes.', label('permanent', 'invalid_input', false, { also: ['payload_too_large'] })),
  fail('token', 403, 'InvalidClientTokenId', 'The security token included in the request is invalid.', label('permanent', 'auth', false)),
  fail('kms', 400, 'KmsThrottled', 'Amazon Web Services KMS throttles requests', label('transient', 'rate_limit', false)),
  c('refused', 'nobody listens', (w) => call(w.refused), { label: label('transient', 'network', false) }),
  c('reset', 'reset after the request', (w) => call(w.fault('reset-request', '')), { label: label('transient', 'network', true) }),
  c('timeout', 'no answer', (w) => call(w.fault('silent', '')), { label: label('transient', 'timeout', true) }),
];
