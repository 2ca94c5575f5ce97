/** Exchanges that fail their validation are counted by the metrics of the gateway. */
import { ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { expect, test } from 'vitest';
import { sceneWith } from './scene.ts';

test('a response that fails its validation is counted by the service', async () => {
  const service = new ToolExecutionService({ tools: [] });
  const metrics = createMetrics();
  service.subscribe((event) => metrics.observe(event));
  const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city": ' } };
  const { url, close } = await sceneWith(
    (incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [call] } }] }));
    },
    { settings: { service } },
  );
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }] });
  await (
    await fetch(`${url}/openai/v1/chat/completions`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  ).text();
  expect(metrics.samples('holdfast_response_validation_failures_total')).toMatchObject([
    { labels: { stage: 'request' }, value: 0 },
    { labels: { stage: 'response' }, value: 1 },
  ]);
  await close();
});
