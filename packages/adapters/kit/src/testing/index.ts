/** The exports of `@holdfast/adapter-kit/testing`: the contract of all adapters. */
export { adapterContract, contractCases, missingCapability } from './adapter-contract.ts';
export type { AdapterContractCase } from './adapter-contract.ts';
export { scriptedCalls, scriptedFetch, scriptedSize, scriptedTool } from './cost-case.ts';
export type { CostCase, PlayConversation, WeatherCall } from './cost-case.ts';
export { conversationEnds } from './contract-case.ts';
export type { ContractCase, Observation } from './contract-case.ts';
export type { AdapterHarness, Capability, ContractTool, Conversation, HistoryCall, HistoryMessage, PlayResult } from './harness.ts';
export { stageOf } from './stage.ts';
export type { Played, Scenario, Stage } from './stage.ts';
