/** What `@holdfast/simulate` offers. */
export {};
