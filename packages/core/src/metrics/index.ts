/** The table of contents of `@holdfast/core/metrics`. */
export { createLatencySketch, sketchBucketBounds, type LatencySketch, type SketchContent } from './sketch.ts';
