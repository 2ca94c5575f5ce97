import type { Case } from './case.ts';
import { parallel, schema, turn } from './more-contests.ts';
import { oneRetry } from './one-retry.ts';
import { refusal } from './refusal.ts';
import { success } from './success.ts';

export const cases: readonly Case[] = [success, refusal, oneRetry, turn, schema, parallel];
