/** What `@holdfast/simulate/peers` offers: models of other libraries' policies. */
export {};
