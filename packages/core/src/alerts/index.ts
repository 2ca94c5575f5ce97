/** The table of contents of `@holdfast/core/alerts`. */
export {};
