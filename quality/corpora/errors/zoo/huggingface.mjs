import { InferenceClient } from '@huggingface/inference';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['@huggingface/inference'];

const call = (base) => new InferenceClient('hf_x').textGeneration({ endpointUrl: base, inputs: 'hi' }, { retry_on_error: false });

export const cases = [
  ...httpCases(call, { skip: ['timeout'], hint: false }),
  c('loading', 'HTTP 503: the model is loading', async (w) => call(w.canned({ status: 503, body: { error: 'Model gpt2 is currently loading', estimated_time: 20 } })), { label: label('transient', 'unavailable', false, { unscored: ['retryAfterMs', 'ambiguous'] }) }),
];
