/** The table of contents of `@holdfast/anthropic`. */
export {};
