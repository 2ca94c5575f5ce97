/** The table of contents of `@holdfast/openai-agents`. */
export {};
