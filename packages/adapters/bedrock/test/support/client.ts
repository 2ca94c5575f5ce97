/** A client for a double: HTTP/1 instead of the SDK's HTTP/2, a bearer token, no retries. */
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export const clientFor = (endpoint: string): BedrockRuntimeClient =>
  new BedrockRuntimeClient({
    endpoint,
    region: 'us-east-1',
    token: { token: 'key' },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });
