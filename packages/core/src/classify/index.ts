export { errorCategories } from './classification.ts';
export type { Classification, ClassificationRule, ErrorCategory, ErrorClass } from './classification.ts';
export { classify } from './classify.ts';
export type { ClassifyOptions } from './classify.ts';
export { describeError } from './describe.ts';
export { parseRetryAfter, retryAfterOf } from './retry-after.ts';
export { compileRules } from './rules.ts';
export type { CompiledRule } from './rules.ts';
