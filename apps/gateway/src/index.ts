/** The gateway, as a library: what `holdfast serve` starts. */
export {};
