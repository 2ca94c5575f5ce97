/** The table of contents of `@holdfast/langchain`. */
export {};
