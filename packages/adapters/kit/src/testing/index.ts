/** The table of contents of `@holdfast/adapter-kit/testing`: the contract that every adapter keeps. */
export { adapterContract, contractCases, lackOf } from './adapter-contract.ts';
export type { AdapterContractCase } from './adapter-contract.ts';
export { conversationEnds } from './contract-case.ts';
export type { ContractCase, Observation } from './contract-case.ts';
export type { AdapterHarness, Capability, ContractTool, Conversation, HistoryCall, HistoryMessage, PlayResult } from './harness.ts';
export { stageOf } from './stage.ts';
export type { Played, Scene, Stage } from './stage.ts';
