export default [
  {
    name: '@holdfast/core, everything',
    path: 'packages/core/dist/index.js',
    gzip: true,
    // 25 kB is the goal of the next work on it.
    limit: '64 kB',
  },
];
