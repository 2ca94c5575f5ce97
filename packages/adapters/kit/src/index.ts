/** The table of contents of `@holdfast/adapter-kit`: what adapters share. */
export { Reliable } from './reliable.ts';
export type { FrameworkTool } from './reliable.ts';
export { checkToolList } from './options.ts';
export type { ReliableOptions, RepairReport, RunBehavior, ToolOptions } from './options.ts';
export { StartedTogether } from './started-together.ts';
export { Conversations } from './conversations.ts';
export { answerLent } from './lent-call.ts';
export type { LentAnswer, LentCall } from './lent-call.ts';
export { fieldOf, fieldsOf, isAsMade, listOf, redefined } from './reading.ts';
export type { Fields } from './reading.ts';
export { tellable } from './tellable.ts';
