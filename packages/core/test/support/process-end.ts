/** A program: a call that hangs is cancelled or timed out; afterwards nothing may keep the process alive. Prints when the call was answered. */
import { defineTool, ToolExecutionService } from '../../src/index.ts';

const hung = defineTool({ name: 'hung', run: () => new Promise(() => undefined), timeoutMs: 20, retry: { maxAttempts: 1 } });
const service = new ToolExecutionService({ tools: [hung] });
const controller = new AbortController();
const call = service.executeTool({ toolName: 'hung' }, { signal: controller.signal });
if (process.argv[2] === 'cancel') controller.abort();
const { status } = await call;
const turn = await service.executeTurn({ calls: [{ toolName: 'hung', policy: { timeoutMs: 60_000 } }], timeoutMs: 20 });
console.log(`${status} ${turn.outcome}`);
