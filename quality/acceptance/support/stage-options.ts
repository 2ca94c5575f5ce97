/** The options of a test's service besides its tools and its clock. */
import type { ToolExecutionServiceOptions } from '@holdfast/core';

export type StageOptions = Omit<ToolExecutionServiceOptions, 'tools' | 'system'>;
