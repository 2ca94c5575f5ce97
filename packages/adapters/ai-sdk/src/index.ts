/** The table of contents of `@holdfast/ai-sdk`. */
export {};
