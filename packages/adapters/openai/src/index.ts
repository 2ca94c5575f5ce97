/** The table of contents of `@holdfast/openai`. */
export {};
