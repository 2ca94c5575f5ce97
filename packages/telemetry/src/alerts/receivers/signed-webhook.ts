/** Owns the signed webhook: the headers of Standard Webhooks, with an HMAC of the body. */
import { createHmac } from 'node:crypto';
import { jsonRequest, statusOf, type ToRequest } from './notification.ts';
import { webhookBody } from './webhook.ts';

const prefix = 'whsec_';

/**
 * Creates a webhook that is signed as Standard Webhooks describes; its `data` is the body of `webhookBody`.
 * @throws TypeError when the secret is missing or invalid.
 */
export const signedWebhookRequest: ToRequest = (notification, address, atMs) => {
  const { id, at } = notification;
  const body = JSON.stringify({
    type: `alerts.${statusOf(notification)}`,
    timestamp: new Date(at).toISOString(),
    data: webhookBody(notification),
  });
  const seconds = String(Math.floor(atMs / 1_000));
  return jsonRequest(address, body, {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature(address.secret, `${id}.${seconds}.${body}`)}`,
  });
};

function signature(secret: string | undefined, content: string): string {
  return createHmac('sha256', keyOf(secret)).update(content).digest('base64');
}

/** `whsec_` and the key in base64, or any other text, which is the key itself. */
function keyOf(secret: string | undefined): Buffer {
  const key = secret?.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret ?? '');
  if (key.byteLength === 0) throw new TypeError('A signed webhook requires a non-empty secret.');
  return key;
}
