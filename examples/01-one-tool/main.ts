/** One tool, one call. Arguments and output are inferred from the schemas. Run: npm start -w examples/01-one-tool */
import assert from 'node:assert/strict';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { z } from 'zod';

let attempts = 0;
const weather = defineTool({
  name: 'weather',
  input: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']).default('celsius') }),
  output: z.object({ degrees: z.number() }),
  run({ city, unit }) {
    attempts += 1;
    if (attempts === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return { degrees: city === 'Oslo' && unit === 'celsius' ? 4 : 20 };
  },
});
const service = new ToolExecutionService({ tools: [weather] });

// The first attempt fails transiently, so there is a second one.
const answer = await service.executeTool({ toolName: 'weather', arguments: { city: 'Oslo' } });
assert.equal(answer.status, 'success');
assert.equal(answer.output?.degrees, 4);
assert.equal(answer.attempts, 2);

// A model's call is checked before the tool runs; the message tells the model what to fix.
const misspelt = await service.executeTool({ toolName: 'weather', arguments: { citty: 'Oslo' } as never });
assert.equal(misspelt.error?.code, 'INVALID_ARGUMENTS');
assert.match(misspelt.error?.message ?? '', /Required parameter 'city' missing \(you sent 'citty'\)/);

// A name that is written here is checked by the compiler; one that a model wrote, when the call is made.
const named: string = JSON.parse('"wether"');
const unknown = await service.executeTool({ toolName: named });
assert.equal(unknown.error?.message, "Unknown tool: wether. Did you mean 'weather'?");
console.log(answer.output, misspelt.error?.message, unknown.error?.message);
