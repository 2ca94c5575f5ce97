/** Owns the frameworks that are known here. */
import type { Framework } from './framework.ts';

const aiSdkTools = [
  { module: 'src/index.ts', names: ['generateText', 'streamText', 'ToolLoopAgent', 'convertToModelMessages'] },
  { module: 'src/generate-text/index.ts', names: ['generateText', 'streamText'] },
  { module: 'src/generate-text/generate-text.ts', names: ['generateText'] },
  { module: 'src/generate-text/stream-text.ts', names: ['streamText'] },
  { module: 'src/generate-text/execute-tool-call.ts', names: ['executeToolCall'] },
  { module: 'src/generate-text/execute-tools-from-stream.ts', names: ['executeToolsFromStream'] },
  { module: 'src/generate-text/parse-tool-call.ts', names: ['parseToolCall'] },
  { module: 'src/generate-text/resolve-tool-approval.ts', names: ['resolveToolApproval'] },
  { module: 'src/generate-text/to-response-messages.ts', names: ['toResponseMessages'] },
  { module: 'src/agent/tool-loop-agent.ts', names: ['ToolLoopAgent'] },
  { module: 'src/prompt/prepare-tools.ts', names: ['prepareTools'] },
  { module: 'src/prompt/create-tool-model-output.ts', names: ['createToolModelOutput'] },
  { module: 'src/ui/convert-to-model-messages.ts', names: ['convertToModelMessages'] },
] as const;

const aiSdk: Framework = {
  name: 'ai-sdk',
  title: 'AI SDK',
  adapter: '@holdfast/ai-sdk',
  repository: 'vercel/ai',
  folder: 'packages/ai',
  runner: 'vitest',
  config: 'vitest.node.config.js',
  tests: [
    'src/generate-text/*.test.ts',
    'src/agent/*.test.ts',
    'src/prompt/{prepare-tools,create-tool-model-output}.test.ts',
    'src/ui/convert-to-model-messages.test.ts',
  ],
  sources: {
    ai: 'packages/ai/src/index.ts',
    'ai/test': 'packages/ai/test/index.ts',
    '@ai-sdk/provider': 'packages/provider/src/index.ts',
    '@ai-sdk/provider-utils': 'packages/provider-utils/src/index.ts',
    '@ai-sdk/provider-utils/test': 'packages/provider-utils/src/test/index.ts',
    '@ai-sdk/gateway': 'packages/gateway/src/index.ts',
    '@ai-sdk/test-server': 'packages/test-server/src/index.ts',
    '@ai-sdk/test-server/with-vitest': 'packages/test-server/src/with-vitest.ts',
  },
  packages: ['ai'],
  ways: [
    { name: 'tools', title: '`tools: run.tools`', code: 'ai-sdk-tools.ts', replaces: aiSdkTools },
    { name: 'settings', title: '`...run.settings`', code: 'ai-sdk-settings.ts', replaces: aiSdkTools },
  ],
};

const openaiAgents: Framework = {
  name: 'openai-agents',
  title: 'OpenAI Agents',
  adapter: '@holdfast/openai-agents',
  repository: 'openai/openai-agents-js',
  folder: 'packages/agents-core',
  runner: 'vitest',
  config: '/vitest.config.ts',
  project: '@openai/agents-core',
  tests: [
    'test/{agent,agentScenarios,run,run.*,runContext,runState,runState.*,tool,toolCustomData,toolInvocationReplay,toolIdentity}.test.ts',
    'test/{guardrail,hitlMemorySessionScenario,taskTurnTracing,tooling,finalOutputRedaction,items}.test.ts',
    'test/runner/{toolExecution,modelOutputs,turnResolution,sessionPersistence,modelPreparation}.test.ts',
  ],
  sources: {
    '@openai/agents': 'packages/agents/src/index.ts',
  },
  // Its guard against output of tests never ends after a rejection that a test has left behind.
  env: { TEST_STDIO_MODE: 'off' },
  packages: ['@openai/agents', '@openai/agents-core'],
  ways: [
    {
      name: 'tool',
      title: '`tool()`',
      code: 'openai-agents-tool.ts',
      replaces: [
        { module: 'src/index.ts', names: ['tool'] },
        { module: 'src/tool.ts', names: ['tool'] },
      ],
    },
    { name: 'as-tool', title: '`agent.asTool()`', code: 'openai-agents-as-tool.ts' },
  ],
};

const langchainAgent = [
  { module: 'src/index.ts', names: ['createAgent'] },
  { module: 'src/agents/index.ts', names: ['createAgent'] },
  { module: 'src/agents/nodes/ToolNode.ts', names: ['ToolNode'] },
] as const;

const langchain: Framework = {
  name: 'langchain',
  title: 'LangChain',
  adapter: '@holdfast/langchain',
  repository: 'langchain-ai/langchainjs',
  folder: 'libs/langchain',
  runner: 'vitest',
  config: 'vitest.config.ts',
  tests: ['src/agents/**/*.test.ts', '!**/*.{int,bench}.test.ts'],
  sources: { langchain: 'libs/langchain/src/index.ts' },
  workspaces: {
    folders: ['libs/langchain-core', ...['openai', 'anthropic', 'aws', 'fireworks'].map((name) => `libs/providers/langchain-${name}`)],
    condition: 'input',
  },
  packages: ['langchain', '@langchain/core'],
  ways: [
    { name: 'control', title: 'an empty middleware', code: 'langchain-control.ts', replaces: langchainAgent, isControl: true },
    { name: 'agent', title: '`createAgent`, `ToolNode`', code: 'langchain-agent.ts', replaces: langchainAgent },
  ],
};

const langgraph: Framework = {
  name: 'langgraph',
  title: 'LangGraph prebuilt',
  adapter: '@holdfast/langchain',
  repository: 'langchain-ai/langgraphjs',
  folder: 'libs/langgraph-core',
  runner: 'vitest',
  config: 'vitest.config.js',
  tests: ['src/tests/prebuilt.test.ts'],
  workspaces: { folders: ['libs/checkpoint', 'libs/sdk'], condition: 'input' },
  packages: ['@langchain/core'],
  ways: [
    {
      name: 'tools',
      title: '`ToolNode`, `createReactAgent`',
      code: 'langgraph-tools.ts',
      replaces: [
        { module: 'src/prebuilt/index.ts', names: ['ToolNode', 'createReactAgent'] },
        { module: 'src/prebuilt/react_agent_executor.ts', names: ['createReactAgent'] },
      ],
    },
  ],
};

const openai: Framework = {
  name: 'openai',
  title: 'openai',
  adapter: '@holdfast/openai',
  repository: 'openai/openai-node',
  folder: '.',
  runner: 'vitest',
  config: 'vitest.config.mts',
  tests: [
    'tests/lib/{ChatCompletionRunFunctions,helper-method-headers,chat-completion-stream-prototype-safety}.test.ts',
    'tests/helpers/*.test.ts',
  ],
  packages: ['openai'],
  ways: [{ name: 'run-tools', title: '`runTools`', code: 'openai-run-tools.ts' }],
};

const anthropic: Framework = {
  name: 'anthropic',
  title: '@anthropic-ai/sdk',
  adapter: '@holdfast/anthropic',
  repository: 'anthropics/anthropic-sdk-typescript',
  folder: '.',
  runner: 'jest',
  tests: [
    'tests/lib/tools/{BetaToolRunner,ToolRunnerE2E}.test.ts',
    'tests/lib/stainless-helper-header.test.ts',
    'tests/helpers/beta/*.test.ts',
  ],
  packages: ['@anthropic-ai/sdk'],
  ways: [{ name: 'tool-runner', title: '`toolRunner`', code: 'anthropic-tool-runner.ts' }],
};

const mcp: Framework = {
  name: 'mcp',
  title: 'MCP v2',
  adapter: '@holdfast/mcp',
  repository: 'modelcontextprotocol/typescript-sdk',
  folder: 'test/integration',
  manifest: 'packages/client/package.json',
  runner: 'vitest',
  config: 'vitest.config.js',
  tests: [
    'test/client/{client,outputSchemaDialect}.test.ts',
    'test/server/{mcp,elicitation}.test.ts',
    'test/{server,title,standardSchema}.test.ts',
    'test/issues/*.test.ts',
  ],
  packages: ['@modelcontextprotocol/client'],
  ways: [{ name: 'client', title: '`client.callTool`', code: 'mcp-client.ts' }],
};

export const frameworks: readonly Framework[] = [aiSdk, openaiAgents, langchain, langgraph, openai, anthropic, mcp];
