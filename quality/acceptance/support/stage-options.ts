/** What a test may say of its service beside its tools and its clock. */
import type { ToolExecutionServiceOptions } from '@holdfast/core';

export type StageOptions = Omit<ToolExecutionServiceOptions, 'tools' | 'system'>;
